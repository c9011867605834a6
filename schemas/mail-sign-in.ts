import { Type } from '@sinclair/typebox'
import { Conflict, Forbidden, MailUnavailable, RegistrationExpired, Unavailable } from '../src/errors.ts'
import { InvalidCode } from '../src/factors/errors.ts'
import {
  BODY_FAILURES, crossSite, errorResponse, Failure, forbiddenByApplication, response, RETRY_AFTER, textOrNull,
} from './common.ts'
import { Username } from './accounts.ts'
import { MAIL_REGISTRATION_COOKIE, MAIL_SIGN_IN_COOKIE, PUBLIC } from './documentation.ts'
import { Email, invalidLink, LinkToken, MailCode, messageBody, Name, NextQuery, strict, TOKEN } from './fields.ts'
import { TOO_MANY_LOGINS, TOO_MANY_REQUESTS } from './limits.ts'
import { FactorMethod } from './login.ts'
import { TOKEN_COOKIES, WithUser } from './user.ts'

const TAGS = ['Sign-in']

const turnedOff = new Forbidden('Sign-in by mail is turned off.')
const FORBIDDEN = {
  403: errorResponse(
    'Sign-in by mail is turned off, or the request comes from a page of another site.',
    [turnedOff, crossSite]
  ),
}

/** For routes that send a mail which is of no use later. */
export const MAIL_UNAVAILABLE = {
  503: errorResponse(
    'The mail server cannot be reached, and nothing was changed. Or the service is overloaded.',
    [new MailUnavailable(), new Unavailable()],
    Failure,
    RETRY_AFTER
  ),
}

export const SendMailSchema = {
  summary: 'Send a code and a link to sign in',
  description: 'The response and its time do not reveal whether there is such an account. The code is valid in this ' +
    'browser, the link in any: both once, for ten minutes, and until this browser asks again. An address without an ' +
    'account gets a mail with which one can be created, if registration is open. A mailbox gets at most five mails ' +
    'an hour.',
  tags: TAGS,
  security: PUBLIC,
  body: Type.Object({
    email: Email,
    next: NextQuery.properties.next,
  }, { ...strict, examples: [{ email: 'ada@example.com' }] }),
  response: {
    202: response('Accepted.', messageBody('We sent you an email with a code and a link.'), {
      'set-cookie': Type.String({ description: '`mail_sign_in`, for ten minutes: the code works in this browser' }),
    }),
    ...BODY_FAILURES,
    ...FORBIDDEN,
    ...TOO_MANY_REQUESTS,
    ...MAIL_UNAVAILABLE,
  },
}

export const MailLinkSchema = {
  summary: 'The account that a link of a mail signs in to',
  description: 'For a page that asks before it signs in. The link stays valid.',
  tags: TAGS,
  security: PUBLIC,
  body: Type.Object({ token: LinkToken }, { ...strict, examples: [{ token: TOKEN }] }),
  response: {
    200: response('The account.', Type.Object({
      email: Type.String({ maxLength: 254 }),
      username: Type.Unsafe<string | null>({
        ...textOrNull({ maxLength: 254 }),
        description: 'Null if the address has no account yet',
      }),
      askedHere: Type.Boolean({ description: 'Whether this browser asked for the mail' }),
    }, { examples: [{ email: 'ada@example.com', username: 'ada', askedHere: true }] })),
    ...BODY_FAILURES,
    400: invalidLink,
    ...FORBIDDEN,
    ...TOO_MANY_REQUESTS,
  },
}

export const ConfirmMailSchema = {
  summary: 'Sign in with a code or a link of a mail',
  description: 'A code has five tries, in the browser that asked for it. Ends the previous session of this browser.',
  tags: TAGS,
  security: MAIL_SIGN_IN_COOKIE,
  body: Type.Object({
    code: Type.Optional(MailCode),
    token: Type.Optional(LinkToken),
  }, {
    ...strict,
    minProperties: 1,
    maxProperties: 1,
    examples: [{ code: '204863' }, { token: TOKEN }],
  }),
  response: {
    200: response('Signed in.', WithUser, TOKEN_COOKIES),
    202: response(
      'The account has a second factor: send it to /login/second-factor. Or the address has no account yet: send a ' +
      'name to /register/mail.',
      Type.Object({
        secondFactor: Type.Optional(Type.Array(FactorMethod)),
        register: Type.Optional(Type.Literal(true)),
        email: Type.Optional(Type.String({ maxLength: 254, description: 'The address of the new account' })),
      }, { examples: [{ secondFactor: ['totp', 'recovery'] }, { register: true, email: 'ada@example.com' }] }),
      { 'set-cookie': Type.String({ description: '`login_step` for five minutes, or `mail_registration` for thirty' }) }
    ),
    ...BODY_FAILURES,
    400: invalidLink,
    401: errorResponse(
      'The code is wrong, was used already, has expired or had five tries, or another browser asked for it.',
      new InvalidCode(401)
    ),
    ...forbiddenByApplication('sign-in by mail is turned off, ', turnedOff),
    ...TOO_MANY_LOGINS,
  },
}

export const RegisterByMailSchema = {
  summary: 'Create an account without a password',
  description: 'Only after POST /login/mail/confirm responded with `register`, in the same browser, within thirty ' +
    'minutes. The user is signed in.',
  tags: ['Registration'],
  security: MAIL_REGISTRATION_COOKIE,
  body: Type.Object({
    name: Name,
    username: Type.Optional(Type.String({ ...Username, description: 'Made from the name if it is missing' })),
  }, { ...strict, examples: [{ name: 'Ada Lovelace' }, { name: 'Ada Lovelace', username: 'ada' }] }),
  response: {
    201: response('The account was created, and the user is signed in.', WithUser, TOKEN_COOKIES),
    ...BODY_FAILURES,
    401: errorResponse(
      'The address was not proved in this browser within thirty minutes, or it has an account by now.',
      new RegistrationExpired()
    ),
    ...forbiddenByApplication(
      'registration is closed, sign-in by mail is turned off, ',
      new Forbidden('Registration is closed.'),
      turnedOff
    ),
    409: errorResponse('The chosen username is taken.', new Conflict('This username is taken.')),
    ...TOO_MANY_REQUESTS,
  },
}
