import { Type } from '@sinclair/typebox'
import { response, CHANGE_FAILURES, failures, forbiddenWithCsrf } from './common.ts'
import { SIGNED_IN, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

export const CsrfTokenSchema = {
  summary: 'Get a CSRF token',
  description: 'For the routes that require one in the header `X-CSRF-Token`. It is valid only for the signed-in user.',
  tags: ['Session'],
  security: SIGNED_IN,
  response: {
    200: response('The token.', Type.Object({ csrfToken: Type.String({ maxLength: 200 }) }, {
      examples: [{ csrfToken: 'Vh2xJ9cE-tq0bLz4mRkYp8sWdNfUa6oGiT3vQ1B7eKc' }],
    })),
    ...failures(401),
    ...TOO_MANY_REQUESTS,
  },
}

export const SensitiveSchema = {
  summary: 'An example of a route that requires a CSRF token',
  tags: ['Session'],
  security: SIGNED_IN_WITH_CSRF,
  headers: Type.Object({
    'x-csrf-token': Type.Optional(Type.String({ maxLength: 200, description: 'The token from GET /api/csrf-token' })),
  }),
  response: {
    200: response('The token is valid.', Type.Object({ message: Type.String({ maxLength: 200 }) }, {
      examples: [{ message: 'This request came from you.' }],
    })),
    ...CHANGE_FAILURES,
    ...failures(401),
    ...forbiddenWithCsrf(),
    ...TOO_MANY_REQUESTS,
  },
}
