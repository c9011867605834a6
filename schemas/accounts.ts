import { Type, type Static } from '@sinclair/typebox'
import { BODY_FAILURES, Empty, failures, plainText, TooMany } from './common.ts'
import { WeakPasswordFailure } from './passwords.ts'

const closed = { additionalProperties: false }

const Username = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,30}[A-Za-z0-9]$', maxLength: 32, description: '3 to 32 letters, digits, dots, dashes and underscores' })
const Email = Type.String({ format: 'email', maxLength: 254 })
/** Longer than any password may be, so that a rule says so and not the schema. */
const Password = Type.String({ minLength: 1, maxLength: 1000 })
const LinkToken = Type.String({ minLength: 1, maxLength: 200 })

export const PublicUser = Type.Object({
  id: Type.String({ maxLength: 20 }),
  username: Type.String({ maxLength: 254 }),
  email: Type.String({ maxLength: 254 }),
  name: Type.Union([Type.String({ maxLength: 200 }), Type.Null()]),
})
export type PublicUser = Static<typeof PublicUser>

const WithUser = Type.Object({ user: PublicUser })
const Notice = Type.Object({ message: Type.String({ maxLength: 200 }) })

export const LoginSchema = {
  body: Type.Object({
    username: plainText({ minLength: 1, maxLength: 254, description: 'Username or email' }),
    password: Password,
  }, closed),
  response: { 200: WithUser, ...BODY_FAILURES, ...failures(401), 429: TooMany },
}

export const RegisterSchema = {
  body: Type.Object({ username: Username, email: Email, password: Password, name: Type.Optional(plainText({ minLength: 1, maxLength: 200 })) }, closed),
  response: { 201: WithUser, 202: Notice, ...BODY_FAILURES, ...failures(409), 422: WeakPasswordFailure, 429: TooMany },
}

export const VerifyEmailSchema = {
  body: Type.Object({ token: LinkToken }, closed),
  response: { 204: Empty, ...BODY_FAILURES, 429: TooMany },
}

/** The same for a mail with a new verification link and for one with a reset link. */
export const MailLinkSchema = {
  body: Type.Object({ email: Email }, closed),
  response: { 202: Notice, ...BODY_FAILURES, 429: TooMany },
}

export const ConfirmResetSchema = {
  body: Type.Object({ token: LinkToken, password: Password }, closed),
  response: { 204: Empty, ...BODY_FAILURES, 422: WeakPasswordFailure, 429: TooMany },
}

export const ChangePasswordSchema = {
  body: Type.Object({ current: Password, password: Password }, closed),
  response: { 204: Empty, ...BODY_FAILURES, ...failures(401, 409), 422: WeakPasswordFailure, 429: TooMany },
}

export const DeleteAccountSchema = {
  body: Type.Object({ password: Type.Optional(Password) }, closed),
  response: { 204: Empty, ...BODY_FAILURES, ...failures(401), 429: TooMany },
}
