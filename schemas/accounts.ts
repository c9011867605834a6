import { Type, type Static } from '@sinclair/typebox'
import { Conflict, Forbidden, HttpError, InvalidCredentials, InvalidLink, WrongPassword } from '../src/errors.ts'
import { response, BODY_FAILURES, failures, forbiddenWithCsrf, noContent, plainText, refusal, textOrNull, TOO_MANY_GUESSES, TOO_MANY_LOGINS, TOO_MANY_REQUESTS, TOO_MANY_RESETS } from './common.ts'
import { PUBLIC, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { WEAK_PASSWORD } from './passwords.ts'

const closed = { additionalProperties: false }

const Username = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,30}[A-Za-z0-9]$', maxLength: 32, description: '3 to 32 letters, digits, dots, dashes and underscores' })
const Email = Type.String({ format: 'email', maxLength: 254 })
/** Longer than any password may be, so that a rule says so and not the schema. */
const Password = Type.String({ minLength: 1, maxLength: 1000 })
const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: 'The token from the link in the mail' })

const ADA = { id: '42', username: 'ada', email: 'ada@example.com', name: 'Ada Lovelace' }
const PASSWORD = 'correct-Horse-42-staple'
const TOKEN = 'N6aTzvB1kQ0sWm3rXyLq8pHd5cEoUf2jGi7tVbKnA4M'

export const PublicUser = Type.Object({
  id: Type.String({ maxLength: 20 }),
  username: Type.String({ maxLength: 254 }),
  email: Type.String({ maxLength: 254 }),
  name: textOrNull({ maxLength: 200 }),
}, { title: 'User', examples: [ADA] })
export type PublicUser = Static<typeof PublicUser>

export const WithUser = Type.Object({ user: PublicUser }, { examples: [{ user: ADA }] })
export const TOKEN_COOKIES = { 'set-cookie': Type.String({ description: '`access_token` and `refresh_token`' }) }

const notice = (message: string) => Type.Object({ message: Type.String({ maxLength: 200 }) }, { examples: [{ message }] })
const badLink = refusal('The link was used, has run out or was never sent, or the body is not as described here.', [new InvalidLink(), new HttpError(400, 'body needs the field: token')])

export const LoginSchema = {
  summary: 'Sign in with a password',
  description: 'The session that this browser had before ends.',
  tags: ['Sign-in'],
  security: PUBLIC,
  body: Type.Object({
    username: plainText({ minLength: 1, maxLength: 254, description: 'Username or email' }),
    password: Password,
  }, { ...closed, examples: [{ username: 'ada', password: PASSWORD }] }),
  response: {
    200: response('Signed in.', WithUser, TOKEN_COOKIES),
    ...BODY_FAILURES,
    401: refusal('Unknown, wrong, disabled or not confirmed yet: one answer for all, after the same time.', new InvalidCredentials()),
    ...TOO_MANY_LOGINS,
  },
}

export const RegisterSchema = {
  summary: 'Create an account',
  description: 'The answer is the same whether or not the address is known; the mail tells its owner. With `EMAIL_VERIFICATION=off` the account is open at once.',
  tags: ['Registration'],
  security: PUBLIC,
  body: Type.Object({
    username: Username,
    email: Email,
    password: Password,
    name: Type.Optional(plainText({ minLength: 1, maxLength: 200 })),
  }, { ...closed, examples: [{ username: 'ada', email: 'ada@example.com', password: PASSWORD, name: 'Ada Lovelace' }] }),
  response: {
    201: response('The account is open: only with `EMAIL_VERIFICATION=off`.', WithUser),
    202: response('A mail is on its way.', notice('We have sent you a mail: follow its link to confirm your address.')),
    ...BODY_FAILURES,
    403: refusal('Registration is closed, or the request comes from a page of another site.', new Forbidden('Registration is closed.')),
    409: refusal('The username is taken; with `EMAIL_VERIFICATION=off`, or the email.', new Conflict('This username is taken.')),
    ...WEAK_PASSWORD,
    ...TOO_MANY_REQUESTS,
  },
}

export const VerifyEmailSchema = {
  summary: 'Confirm an address',
  tags: ['Registration'],
  security: PUBLIC,
  body: Type.Object({ token: LinkToken }, { ...closed, examples: [{ token: TOKEN }] }),
  response: { 204: noContent('Confirmed: the account is open.'), ...BODY_FAILURES, 400: badLink, ...TOO_MANY_REQUESTS },
}

const mailLink = (message: string) => ({
  security: PUBLIC,
  description: 'The answer is the same whether or not there is such an account, and takes as long.',
  body: Type.Object({ email: Email }, { ...closed, examples: [{ email: 'ada@example.com' }] }),
  response: { 202: response('Taken.', notice(message)), ...BODY_FAILURES },
})

const resend = mailLink('If an account waits for this address, a new link is on its way.')
export const ResendSchema = { ...resend, summary: 'Send the confirmation again', tags: ['Registration'], response: { ...resend.response, ...TOO_MANY_REQUESTS } }

const reset = mailLink('If there is an account with this address, a link is on its way.')
export const RequestResetSchema = { ...reset, summary: 'Ask for a reset link', tags: ['Passwords'], response: { ...reset.response, ...TOO_MANY_RESETS } }

export const ConfirmResetSchema = {
  summary: 'Choose a new password with the link',
  description: 'The link works once, for one hour. Every session of the user ends, and a mail says that the password changed.',
  tags: ['Passwords'],
  security: PUBLIC,
  body: Type.Object({ token: LinkToken, password: Password }, { ...closed, examples: [{ token: TOKEN, password: PASSWORD }] }),
  response: { 204: noContent('Changed. Sign in with the new password.'), ...BODY_FAILURES, 400: badLink, ...WEAK_PASSWORD, ...TOO_MANY_REQUESTS },
}

export const ChangePasswordSchema = {
  summary: 'Change the password',
  description: 'The other sessions of the user end.',
  tags: ['Passwords'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({ current: Password, password: Password }, { ...closed, examples: [{ current: PASSWORD, password: 'even-Better-43-staple' }] }),
  response: {
    204: noContent('Changed.'),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithCsrf('the current password is not correct, ', new WrongPassword()),
    409: refusal('The account signs in through a provider and has no password.', new Conflict('This account signs in through a provider and has no password.')),
    ...WEAK_PASSWORD,
    ...TOO_MANY_GUESSES,
  },
}

export const DeleteAccountSchema = {
  summary: 'Delete the account',
  description: 'With everything that belongs to it.',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({ password: Type.Optional(Type.String({ ...Password, description: 'Needed where the account has one' })) }, { ...closed, examples: [{ password: PASSWORD }] }),
  response: {
    204: noContent('Deleted. Both cookies are cleared.', { 'set-cookie': Type.String({ description: 'Clears `access_token` and `refresh_token`' }) }),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithCsrf('the password is not correct, ', new WrongPassword()),
    ...TOO_MANY_GUESSES,
  },
}
