import { Type } from '@sinclair/typebox'
import { Conflict, Forbidden, WrongPassword } from '../src/errors.ts'
import { InvalidCode } from '../src/factors/errors.ts'
import {
  BODY_FAILURES, errorResponse, failures, forbiddenByApplication, noContent, response,
} from './common.ts'
import { PUBLIC, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import {
  Email, invalidLink, LinkToken, MailCode, mailLink, messageBody, Name, NextQuery, Password, PASSWORD, strict, TOKEN,
} from './fields.ts'
import { forbiddenWithoutFreshProof } from './fresh-proof.ts'
import { TOO_MANY_GUESSES, TOO_MANY_REQUESTS } from './limits.ts'
import { WEAK_PASSWORD } from './passwords.ts'
import { CLEARED_COOKIES, WithUser } from './user.ts'

export const Username = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,30}[A-Za-z0-9]$',
  maxLength: 32,
  description: '3 to 32 letters, digits, dots, hyphens and underscores. Starts and ends with a letter or digit',
})

export const RegisterSchema = {
  summary: 'Create an account',
  description: 'The response does not reveal whether the address is registered already: the email does. ' +
    'With `EMAIL_VERIFICATION=off` the account can sign in at once.',
  tags: ['Registration'],
  security: PUBLIC,
  querystring: NextQuery,
  body: Type.Object({
    username: Username,
    email: Email,
    password: Password,
    name: Type.Optional(Name),
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
    ...forbiddenByApplication('registration is closed, ', new Forbidden('Registration is closed.')),
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
  description: 'With the link of the mail, or with its code in the browser that registered. There the user is also ' +
    'signed in: the response sets the cookies of a session.',
  tags: ['Registration'],
  security: PUBLIC,
  body: Type.Object({
    token: Type.Optional(LinkToken),
    code: Type.Optional(MailCode),
  }, { ...strict, minProperties: 1, maxProperties: 1, examples: [{ token: TOKEN }, { code: '204863' }] }),
  response: {
    204: noContent('Confirmed. The user can sign in now, or is signed in.'),
    ...BODY_FAILURES,
    400: invalidLink,
    401: errorResponse(
      'The code is wrong, was used already, has expired or had five tries, or another browser registered.',
      new InvalidCode(401)
    ),
    ...TOO_MANY_REQUESTS,
  },
}

const resend = mailLink('If this address is waiting for confirmation, we sent a new link to it.')
export const ResendSchema = {
  ...resend,
  summary: 'Send the confirmation email again',
  tags: ['Registration'],
  response: { ...resend.response, ...TOO_MANY_REQUESTS },
}

export const DeleteAccountSchema = {
  summary: 'Delete the account',
  description: 'Deletes the account and all its data. An account without a password, or with a second factor, needs ' +
    'a fresh proof of identity.',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({
    password: Type.Optional(Type.String({ ...Password, description: 'Required if the account has a password' })),
  }, { ...strict, examples: [{ password: PASSWORD }] }),
  response: {
    204: noContent('Deleted.', CLEARED_COOKIES),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof('the password is not correct, ', new WrongPassword()),
    ...TOO_MANY_GUESSES,
  },
}
