import { Type } from '@sinclair/typebox'
import { Empty, TooMany } from './common.ts'

const Redirect = Type.Unsafe<undefined>(Type.Null({ description: 'Redirect' }))

export const BeginSocialSchema = { response: { 204: Empty, 302: Redirect, 429: TooMany } }

/** Providers may send more than we know of: nothing is refused here for being unknown. */
export const FinishSocialSchema = {
  querystring: Type.Object({
    code: Type.Optional(Type.String({ maxLength: 2048 })),
    state: Type.Optional(Type.String({ maxLength: 512 })),
    error: Type.Optional(Type.String({ maxLength: 512 })),
  }),
  response: { 204: Empty, 302: Redirect },
}
