import { Type, type Static } from '@sinclair/typebox'
import { Conflict, Forbidden, HttpError, InvalidCredentials, InvalidLink, WrongPassword } from '../src/errors.ts'
import {
  BODY_FAILURES, errorResponse, failures, forbiddenWithCsrf, noContent, plainText, response, textOrNull,
  TOO_MANY_GUESSES, TOO_MANY_LOGINS, TOO_MANY_REQUESTS, TOO_MANY_RESETS,
} from './common.ts'
import { PUBLIC, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { WEAK_PASSWORD } from './passwords.ts'

const strict = { additionalProperties: false }

const Username = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,30}[A-Za-z0-9]$',
  maxLength: 32,
  description: '3 to 32 letters, digits, dots, hyphens and underscores. Starts and ends with a letter or digit',
})
const Email = Type.String({ format: 'email', maxLength: 254 })
/** Longer than a valid password, so that the password rules report the length and not the schema. */
const Password = Type.String({ minLength: 1, maxLength: 1000 })
const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: 'The token from the link in the email' })

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
export const CLEARED_COOKIES = {
  'set-cookie': Type.String({ description: 'Clears `access_token` and `refresh_token`' }),
}
export const TOKEN_COOKIES = { 'set-cookie': Type.String({ description: '`access_token` and `refresh_token`' }) }

const messageBody = (message: string) =>
  Type.Object({ message: Type.String({ maxLength: 200 }) }, { examples: [{ message }] })

const invalidLink = errorResponse(
  'The link was used already, has expired or never existed, or the body does not match this description.',
  [new InvalidLink(), new HttpError(400, 'body needs the field: token')]
)

export const LoginSchema = {
  summary: 'Sign in with a password',
  description: 'Ends the previous session of this browser.',
  tags: ['Sign-in'],
  security: PUBLIC,
  body: Type.Object({
    username: plainText({ minLength: 1, maxLength: 254, description: 'Username or email' }),
    password: Password,
  }, { ...strict, examples: [{ username: 'ada', password: PASSWORD }] }),
  response: {
    200: response('Signed in.', WithUser, TOKEN_COOKIES),
    ...BODY_FAILURES,
    401: errorResponse(
      'The account is unknown, disabled or not confirmed, or the password is wrong. ' +
      'The response and its time are the same in each case.',
      new InvalidCredentials()
    ),
    ...TOO_MANY_LOGINS,
  },
}

export const RegisterSchema = {
  summary: 'Create an account',
  description: 'The response does not reveal whether the address is registered already: the email does. ' +
    'With `EMAIL_VERIFICATION=off` the account can sign in at once.',
  tags: ['Registration'],
  security: PUBLIC,
  body: Type.Object({
    username: Username,
    email: Email,
    password: Password,
    name: Type.Optional(plainText({ minLength: 1, maxLength: 200 })),
  }, {
    ...strict,
    examples: [{ username: 'ada', email: 'ada@example.com', password: PASSWORD, name: 'Ada Lovelace' }],
  }),
  response: {
    201: response('The account was created. Only with `EMAIL_VERIFICATION=off`.', WithUser),
    202: response(
      'An email with a link will be sent.',
      messageBody('We sent you an email. Follow the link in it to confirm your address.')
    ),
    ...BODY_FAILURES,
    403: errorResponse(
      'Registration is closed, or the request comes from a page of another site.',
      new Forbidden('Registration is closed.')
    ),
    409: errorResponse(
      'The username is taken or, with `EMAIL_VERIFICATION=off`, the email address.',
      new Conflict('This username is taken.')
    ),
    ...WEAK_PASSWORD,
    ...TOO_MANY_REQUESTS,
  },
}

export const VerifyEmailSchema = {
  summary: 'Confirm an email address',
  tags: ['Registration'],
  security: PUBLIC,
  body: Type.Object({ token: LinkToken }, { ...strict, examples: [{ token: TOKEN }] }),
  response: {
    204: noContent('Confirmed. The user can sign in now.'),
    ...BODY_FAILURES,
    400: invalidLink,
    ...TOO_MANY_REQUESTS,
  },
}

const mailLink = (message: string) => ({
  security: PUBLIC,
  description: 'The response and its time do not reveal whether there is such an account.',
  body: Type.Object({ email: Email }, { ...strict, examples: [{ email: 'ada@example.com' }] }),
  response: { 202: response('Accepted.', messageBody(message)), ...BODY_FAILURES },
})

const resend = mailLink('If this address is waiting for confirmation, we sent a new link to it.')
export const ResendSchema = {
  ...resend,
  summary: 'Send the confirmation email again',
  tags: ['Registration'],
  response: { ...resend.response, ...TOO_MANY_REQUESTS },
}

const reset = mailLink('If there is an account with this address, we sent a reset link to it.')
export const RequestResetSchema = {
  ...reset,
  summary: 'Request a password reset',
  tags: ['Passwords'],
  response: { ...reset.response, ...TOO_MANY_RESETS },
}

export const ConfirmResetSchema = {
  summary: 'Set a new password with a reset link',
  description: 'The link is valid once, for one hour. All sessions of the user end, and an email notifies the user.',
  tags: ['Passwords'],
  security: PUBLIC,
  body: Type.Object({ token: LinkToken, password: Password }, {
    ...strict,
    examples: [{ token: TOKEN, password: PASSWORD }],
  }),
  response: {
    204: noContent('Changed. Sign in with the new password.'),
    ...BODY_FAILURES,
    400: invalidLink,
    ...WEAK_PASSWORD,
    ...TOO_MANY_REQUESTS,
  },
}

export const ChangePasswordSchema = {
  summary: 'Change the password',
  description: 'All other sessions of the user end, and an email notifies the user.',
  tags: ['Passwords'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({ current: Password, password: Password }, {
    ...strict,
    examples: [{ current: PASSWORD, password: 'even-Better-43-staple' }],
  }),
  response: {
    204: noContent('Changed.'),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithCsrf('the current password is not correct, ', new WrongPassword()),
    409: errorResponse(
      'The account signs in through a provider and has no password.',
      new Conflict('This account signs in through a provider and has no password.')
    ),
    ...WEAK_PASSWORD,
    ...TOO_MANY_GUESSES,
  },
}

export const DeleteAccountSchema = {
  summary: 'Delete the account',
  description: 'Deletes the account and all its data.',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({
    password: Type.Optional(Type.String({ ...Password, description: 'Required if the account has a password' })),
  }, { ...strict, examples: [{ password: PASSWORD }] }),
  response: {
    204: noContent('Deleted.', CLEARED_COOKIES),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithCsrf('the password is not correct, ', new WrongPassword()),
    ...TOO_MANY_GUESSES,
  },
}
