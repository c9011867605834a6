import { Type } from '@sinclair/typebox'
import { InvalidCredentials } from '../src/errors.ts'
import { InvalidCode, InvalidPasskey, LoginStepOver } from '../src/factors/errors.ts'
import { BODY_FAILURES, errorResponse, forbiddenByApplication, plainText, response, stringEnum } from './common.ts'
import { LOGIN_STEP_COOKIE, PUBLIC } from './documentation.ts'
import { Password, PASSWORD, strict } from './fields.ts'
import { TOO_MANY_CODES, TOO_MANY_LOGINS, TOO_MANY_REQUESTS } from './limits.ts'
import { TOKEN_COOKIES, WithUser } from './user.ts'
import { Assertion, ASSERTION_EXAMPLE } from './webauthn.ts'

export const FactorMethod = stringEnum('passkey', 'totp', 'recovery')

const LOGIN_STEP = { 'set-cookie': Type.String({ description: '`login_step`, for five minutes and five tries' }) }

export const Code = Type.String({
  minLength: 6,
  maxLength: 40,
  pattern: '^[0-9A-Fa-f -]+$',
  description: 'A code of the authenticator app, or a recovery code',
})

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
    202: response('The password is right, and the account has a second factor. Send it to /login/second-factor.',
      Type.Object({ secondFactor: Type.Array(FactorMethod) }, { examples: [{ secondFactor: ['totp', 'recovery'] }] }),
      LOGIN_STEP),
    ...BODY_FAILURES,
    401: errorResponse(
      'The account is unknown, disabled or not confirmed, or the password is wrong. ' +
      'The response and its time are the same in each case.',
      new InvalidCredentials()
    ),
    ...forbiddenByApplication(),
    ...TOO_MANY_LOGINS,
  },
}

export const LoginStepSchema = {
  summary: 'The account of a login that waits for its second factor',
  description: 'Only in the browser that did the first step, within five minutes.',
  tags: ['Sign-in'],
  security: LOGIN_STEP_COOKIE,
  response: {
    200: response('The account that will be signed in.', Type.Object({
      username: Type.String(),
    }, { examples: [{ username: 'ada' }] })),
    401: errorResponse(
      'The login was not begun in this browser, has expired, or the account changed meanwhile.',
      new LoginStepOver()
    ),
    ...TOO_MANY_REQUESTS,
  },
}

export const SecondFactorSchema = {
  summary: 'Finish a login with the second factor',
  description: 'Only after POST /login responded with 202, in the same browser, within five minutes. ' +
    'Each code is accepted once. For a passkey, get options from POST /login/passkey/options first.',
  tags: ['Sign-in'],
  security: LOGIN_STEP_COOKIE,
  body: Type.Object({
    code: Type.Optional(Code),
    passkey: Type.Optional(Assertion),
    remember: Type.Optional(Type.Boolean({
      description: 'Do not ask for the second factor in this browser any more, for `REMEMBER_BROWSER_DAYS`',
    })),
  }, {
    ...strict,
    anyOf: [{ required: ['code'] }, { required: ['passkey'] }],
    examples: [{ code: '492039', remember: true }, { passkey: ASSERTION_EXAMPLE }],
  }),
  response: {
    200: response('Signed in.', WithUser, TOKEN_COOKIES),
    ...BODY_FAILURES,
    401: errorResponse(
      'The code or the passkey is wrong, or was used already. Or the login must begin again: it was not begun in ' +
      'this browser, has expired or had five tries, or the account changed meanwhile.',
      [new InvalidCode(401), new InvalidPasskey(), new LoginStepOver()]
    ),
    ...forbiddenByApplication(),
    ...TOO_MANY_CODES,
  },
}
