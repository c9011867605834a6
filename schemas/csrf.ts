import { Type } from '@sinclair/typebox'
import { failures, TooMany } from './common.ts'

export const CsrfTokenSchema = {
  response: { 200: Type.Object({ csrfToken: Type.String({ maxLength: 200 }) }), ...failures(401), 429: TooMany },
}

export const SensitiveSchema = {
  headers: Type.Object({ 'x-csrf-token': Type.Optional(Type.String({ maxLength: 200, description: 'The token from GET /api/csrf-token' })) }),
  response: { 200: Type.Object({ message: Type.String({ maxLength: 200 }) }), ...failures(400, 401, 403, 413, 415), 429: TooMany },
}
