import { Type } from '@sinclair/typebox'
import { Conflict, WrongPassword } from '../src/errors.ts'
import { InvalidCode, InvalidPasskey } from '../src/factors/errors.ts'
import { BODY_FAILURES, errorResponse, failures, noContent, response } from './common.ts'
import { SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { messageBody, Password, PASSWORD, strict } from './fields.ts'
import { forbiddenWithoutFreshProof } from './fresh-proof.ts'
import { TOO_MANY_CODES, TOO_MANY_REQUESTS } from './limits.ts'
import { Code } from './login.ts'
import { MAIL_UNAVAILABLE } from './mail-sign-in.ts'
import { NEW_SESSION } from './user.ts'
import { Assertion, ASSERTION_EXAMPLE } from './webauthn.ts'

const TAGS = ['Second factor']
const CODES = ['3f9a1-0c7be-52d84-e61f0', '9d20b-77a3c-e4f15-08b6d']

const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), { description: 'Ten codes. They are shown only once' }),
}, { title: 'RecoveryCodes', examples: [{ recoveryCodes: CODES }] })

export const BeginTotpSchema = {
  summary: 'Set up an authenticator app',
  description: 'It counts once it is confirmed with a code.',
  tags: TAGS,
  security: SIGNED_IN_WITH_CSRF,
  response: {
    200: response('The key for the app. It is shown only once.', Type.Object({
      secret: Type.String({ description: 'To type in, in Base32' }),
      uri: Type.String({ description: 'The link that the QR code holds' }),
      qr: Type.String({ description: 'The QR code, as SVG' }),
    }, {
      title: 'TotpKey',
      examples: [{
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/Gatehouse:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Gatehouse',
        qr: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
      }],
    })),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof(),
    409: errorResponse(
      'The account has an authenticator app already.',
      new Conflict('This account has an authenticator app already. Remove it first.')
    ),
    ...TOO_MANY_REQUESTS,
  },
}

export const ConfirmTotpSchema = {
  summary: 'Confirm the authenticator app',
  description: 'From now on a login with the password asks for a second factor. An email notifies the user.',
  tags: TAGS,
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({ code: Code }, { ...strict, examples: [{ code: '492039' }] }),
  response: {
    200: response('Confirmed, with recovery codes for the loss of the app.', RecoveryCodes, NEW_SESSION),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof('the code is wrong, ', new InvalidCode(403)),
    ...TOO_MANY_REQUESTS,
  },
}

export const RemoveTotpSchema = {
  summary: 'Remove the authenticator app',
  description: 'Without another second factor, the recovery codes are deleted too. An email notifies the user.',
  tags: TAGS,
  security: SIGNED_IN_WITH_CSRF,
  response: {
    204: noContent('Removed.'),
    ...BODY_FAILURES,
    ...failures(401, 404),
    ...forbiddenWithoutFreshProof(),
    409: errorResponse(
      'A second factor is required, and this is the last one.',
      new Conflict('A second factor is required. Add another one first.')
    ),
    ...TOO_MANY_REQUESTS,
  },
}

export const RecoveryCodesSchema = {
  summary: 'Create new recovery codes',
  description: 'The codes before become invalid. An email notifies the user.',
  tags: TAGS,
  security: SIGNED_IN_WITH_CSRF,
  response: {
    200: response('The new codes.', RecoveryCodes),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof(),
    409: errorResponse(
      'The account has no second factor.',
      new Conflict('Add a second factor first: recovery codes stand in for it.')
    ),
    ...TOO_MANY_REQUESTS,
  },
}

export const SendProofMailSchema = {
  summary: 'Send a code to confirm the identity',
  description: 'Only if the account has nothing stronger than its mailbox: then `methods` has `mail`. The code is ' +
    'valid in this session, once, for ten minutes. Send it to POST /api/auth/reauthenticate.',
  tags: TAGS,
  security: SIGNED_IN_WITH_CSRF,
  response: {
    202: response('Accepted.', messageBody('We sent a code to your email address.')),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof(),
    ...TOO_MANY_CODES,
    ...MAIL_UNAVAILABLE,
  },
}

export const ReauthenticateSchema = {
  summary: 'Confirm the identity',
  description: 'Before a change of how one signs in. An account with a second factor needs a code or a passkey. ' +
    'An account without a password confirms through its provider: GET /api/auth/provider-a?confirm=true. Or with ' +
    'the code of a mail, if it has nothing stronger: POST /api/auth/reauthenticate/mail sends it.',
  tags: TAGS,
  security: SIGNED_IN_WITH_CSRF,
  body: Type.Object({
    password: Type.Optional(Password),
    code: Type.Optional(Code),
    passkey: Type.Optional(Assertion),
  }, {
    ...strict,
    minProperties: 1,
    maxProperties: 1,
    examples: [{ password: PASSWORD }, { code: '492039' }, { passkey: ASSERTION_EXAMPLE }],
  }),
  response: {
    204: noContent('Confirmed, for `FRESH_SECONDS`.', NEW_SESSION),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof(
      'the password, the code or the passkey is wrong, ',
      new WrongPassword(), new InvalidCode(403), new InvalidPasskey(403)
    ),
    ...TOO_MANY_CODES,
  },
}
