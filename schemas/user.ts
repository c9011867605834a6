import { Type, type Static } from '@sinclair/typebox'
import { textOrNull } from './common.ts'

const ADA = { id: '42', username: 'ada', email: 'ada@example.com', name: 'Ada Lovelace' }

export const PublicUser = Type.Object({
  id: Type.String({ maxLength: 20 }),
  username: Type.String({ maxLength: 254 }),
  email: Type.String({ maxLength: 254 }),
  name: textOrNull({ maxLength: 200 }),
}, { title: 'User', examples: [ADA] })
export type PublicUser = Static<typeof PublicUser>

export const WithUser = Type.Object({ user: PublicUser }, { examples: [{ user: ADA }] })
export const CLEARED_COOKIES = {
  'set-cookie': Type.String({ description: 'Clears `access_token` and `refresh_token`' }),
}
export const TOKEN_COOKIES = { 'set-cookie': Type.String({ description: '`access_token` and `refresh_token`' }) }
/** After a proof of identity. */
export const NEW_SESSION = {
  'set-cookie': Type.String({
    description: '`access_token` and `refresh_token` of a new session, which replaces this one',
  }),
}
