import { Type } from '@sinclair/typebox'
import { InvalidCredentials } from '../../src/errors.ts'
import { InvalidCode, InvalidPasskey, LoginStepOver } from '../../src/factors/errors.ts'
import { ApiKeyRequired, NotAnOperator, OperatorNeedsFactor, OperatorSuspended } from '../../src/operators/errors.ts'
import { ROLE_NAMES, ROLES, type Right, type Role } from '../../src/operators/roles.ts'
import { BODY_FAILURES, crossSite, errorResponse, failures, noContent, response, stringEnum } from '../common.ts'
import { PUBLIC } from '../documentation.ts'
import { forbiddenWithoutFreshProof } from '../fresh-proof.ts'
import { TOO_MANY_CODES, TOO_MANY_LOGINS } from '../limits.ts'
import { LoginSchema, SecondFactorSchema } from '../login.ts'
import { PasskeyOptionsSchema, PasskeySignInSchema } from '../passkeys.ts'

const about = { tags: ['Session'], security: PUBLIC }
const noSession = { 401: errorResponse('Not signed in.', new ApiKeyRequired()) }
const notAllowed = {
  403: errorResponse(
    'The account is no operator, is suspended after a restore, has no second factor, or the request comes from a ' +
    'page of another site.',
    [new NotAnOperator(), new OperatorSuspended(), new OperatorNeedsFactor('https://auth.example.com'), crossSite]
  ),
}
const SIGNED_IN = noContent('Signed in.', { 'set-cookie': Type.String({ description: '`operator_session`' }) })
const { remember: _, ...answer } = SecondFactorSchema.body.properties

const Answer = Type.Object(answer, {
  additionalProperties: false,
  anyOf: [{ required: ['code'] }, { required: ['passkey'] }],
  examples: [{ code: '492039' }],
})

export const OperatorLoginSchema = {
  ...about,
  summary: 'Sign in as an operator: the password',
  body: LoginSchema.body,
  response: {
    202: LoginSchema.response[202],
    ...BODY_FAILURES,
    ...notAllowed,
    401: errorResponse('The account is unknown or disabled, or the password is wrong.', new InvalidCredentials()),
    ...TOO_MANY_LOGINS,
  },
}

export const OperatorSecondFactorSchema = {
  ...about,
  summary: 'Sign in as an operator: the second factor',
  body: Answer,
  response: {
    204: SIGNED_IN,
    ...BODY_FAILURES,
    401: errorResponse('The code or the passkey is wrong, or the login must begin again.',
      [new InvalidCode(401), new LoginStepOver()]),
    ...TOO_MANY_CODES,
  },
}

export const OperatorPasskeyOptionsSchema = { ...PasskeyOptionsSchema, ...about }

export const OperatorPasskeySchema = {
  ...about,
  summary: 'Sign in as an operator with a passkey',
  body: PasskeySignInSchema.body,
  response: {
    204: SIGNED_IN,
    ...BODY_FAILURES,
    ...notAllowed,
    401: errorResponse('The passkey is unknown, or the signature is wrong.', new InvalidPasskey()),
    ...TOO_MANY_LOGINS,
  },
}

export const OperatorSessionSchema = {
  ...about,
  summary: 'Who is signed in',
  response: {
    200: response('The operator.', Type.Object({
      username: Type.String(),
      role: Type.Unsafe<Role>(stringEnum(...ROLE_NAMES)),
      rights: Type.Array(Type.Unsafe<Right>(Type.String()), { description: 'What this role may do' }),
      csrfToken: Type.String({ description: 'For the `X-CSRF-Token` header of requests that change something' }),
      isFresh: Type.Boolean({ description: 'Whether changes need no new proof of identity' }),
    }, {
      examples: [
        { username: 'ada', role: 'viewer', rights: ROLES.viewer, csrfToken: 'N6aTzvB1', isFresh: true },
      ],
    })),
    ...failures(503),
    ...noSession,
  },
}

export const OperatorConfirmSchema = {
  ...about,
  summary: 'Confirm the identity, for changes',
  body: Answer,
  response: {
    204: noContent('Confirmed. The session has a new cookie, and a new CSRF token.'),
    ...BODY_FAILURES,
    ...noSession,
    ...forbiddenWithoutFreshProof('the code or the passkey is wrong, ', new InvalidCode(403)),
    ...TOO_MANY_CODES,
  },
}

export const OperatorLogoutSchema = {
  ...about,
  summary: 'Sign out',
  response: { 204: noContent('Signed out.'), ...BODY_FAILURES, ...noSession },
}
