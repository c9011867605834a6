import { Type } from '@sinclair/typebox'
import { Conflict, HttpError } from '../src/errors.ts'
import { InvalidPasskey, RefusedPasskey } from '../src/factors/errors.ts'
import {
  BODY_FAILURES, CHANGE_FAILURES, dateTime, errorResponse, failures, forbiddenByApplication, noContent, response,
} from './common.ts'
import { PUBLIC, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { strict } from './fields.ts'
import { forbiddenWithoutFreshProof } from './fresh-proof.ts'
import { TOO_MANY_LOGINS, TOO_MANY_REQUESTS } from './limits.ts'
import { NEW_SESSION, TOKEN_COOKIES, WithUser } from './user.ts'
import {
  Assertion, ASSERTION_EXAMPLE, CreationOptions, PasskeyName, Registration, REGISTRATION_EXAMPLE, RequestOptions,
} from './webauthn.ts'

const CHALLENGE_COOKIE = { 'set-cookie': Type.String({ description: '`passkey_challenge`, for five minutes' }) }

export const Passkey = Type.Object({
  id: Type.String({ format: 'uuid' }),
  credentialId: Type.String({ description: 'For the signal methods of `PublicKeyCredential`' }),
  name: Type.String(),
  synced: Type.Boolean({ description: 'Whether a copy of it is kept by the provider of the passkey' }),
  createdAt: dateTime('When it was added'),
  lastUsedAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
}, {
  title: 'Passkey',
  examples: [{
    id: '5f0c3ad1-6b1d-4a53-a8f0-1d3c7a9be7b2',
    credentialId: 'pVZ3rQhIbqk8tTqX1fZkPw',
    name: 'Laptop',
    synced: true,
    createdAt: '2026-03-04T05:06:07.000Z',
    lastUsedAt: null,
  }],
})
const WithPasskey = Type.Object({ passkey: Passkey }, { examples: [{ passkey: Passkey.examples[0] }] })
const PasskeyId = Type.Object({ id: Type.String({ format: 'uuid', maxLength: 36 }) })

export const PasskeyOptionsSchema = {
  summary: 'Get the options to use a passkey',
  description: 'For a sign-in without a username, as the second factor, and to confirm the identity. ' +
    'The challenge is valid once, for five minutes, in the browser that got the cookie.',
  tags: ['Sign-in'],
  security: PUBLIC,
  response: {
    200: response('For `PublicKeyCredential.parseRequestOptionsFromJSON()`.', RequestOptions, CHALLENGE_COOKIE),
    ...CHANGE_FAILURES,
  },
}

export const PasskeySignInSchema = {
  summary: 'Sign in with a passkey',
  description: 'A passkey counts as two factors. Ends the previous session of this browser.',
  tags: ['Sign-in'],
  security: PUBLIC,
  body: Type.Object({ response: Assertion }, { ...strict, examples: [{ response: ASSERTION_EXAMPLE }] }),
  response: {
    200: response('Signed in.', WithUser, TOKEN_COOKIES),
    ...BODY_FAILURES,
    401: errorResponse(
      'The passkey is unknown or its account disabled, the challenge is not that of this browser, was used before or ' +
      'has expired, or the signature is wrong. The response and its time are the same in each case.',
      new InvalidPasskey()
    ),
    ...forbiddenByApplication(),
    ...TOO_MANY_LOGINS,
  },
}

const guarded = { tags: ['Second factor'], security: SIGNED_IN_WITH_CSRF }

export const NewPasskeyOptionsSchema = {
  ...guarded,
  summary: 'Get the options to add a passkey',
  response: {
    200: response('For `PublicKeyCredential.parseCreationOptionsFromJSON()`.', CreationOptions, CHALLENGE_COOKIE),
    ...BODY_FAILURES,
    ...failures(401),
    ...forbiddenWithoutFreshProof(),
    ...TOO_MANY_REQUESTS,
  },
}

export const AddPasskeySchema = {
  ...guarded,
  summary: 'Add a passkey',
  description: 'An email notifies the user. From then on, a sign-in with the password needs a second factor.',
  body: Type.Object({ response: Registration, name: PasskeyName }, {
    ...strict,
    examples: [{ response: REGISTRATION_EXAMPLE, name: 'Laptop' }],
  }),
  response: {
    201: response('Added.', WithPasskey, NEW_SESSION),
    ...BODY_FAILURES,
    400: errorResponse(
      'The passkey was not created for this challenge, site and browser, the user was not verified, ' +
      'or the body does not match this description.',
      [new RefusedPasskey(), new HttpError(400, 'body needs the field: name')]
    ),
    ...failures(401),
    ...forbiddenWithoutFreshProof(),
    409: errorResponse(
      'The passkey was added before, or the account has 20 passkeys.',
      new Conflict('This passkey was added before, or there are too many.')
    ),
    ...TOO_MANY_REQUESTS,
  },
}

export const RenamePasskeySchema = {
  ...guarded,
  summary: 'Rename a passkey',
  params: PasskeyId,
  body: Type.Object({ name: PasskeyName }, { ...strict, examples: [{ name: 'Laptop' }] }),
  response: {
    200: response('Renamed.', WithPasskey),
    ...BODY_FAILURES,
    ...failures(401, 404, 414),
    ...forbiddenWithoutFreshProof(),
    ...TOO_MANY_REQUESTS,
  },
}

export const RemovePasskeySchema = {
  ...guarded,
  summary: 'Remove a passkey',
  description: 'Without another second factor, the recovery codes are deleted too. An email notifies the user.',
  params: PasskeyId,
  response: {
    204: noContent('Removed.'),
    ...BODY_FAILURES,
    ...failures(401, 404, 414),
    ...forbiddenWithoutFreshProof(),
    409: errorResponse(
      'It is the last way to sign in to the account, or the last second factor and one is required.',
      new Conflict('This is the last way to sign in to the account. Add another one first.')
    ),
    ...TOO_MANY_REQUESTS,
  },
}
