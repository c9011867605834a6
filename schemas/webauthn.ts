import type {
  AuthenticationResponseJSON, PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { Type } from '@sinclair/typebox'
import { plainText } from './common.ts'
import { strict } from './fields.ts'

/** Base64url of at most this many characters. */
const bytes = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })
/** At most 1,023 bytes. */
const CredentialId = bytes(1364)
const Transports = Type.Array(Type.String({ maxLength: 32, pattern: '^[a-z-]+$' }), { maxItems: 10 })

/** The fields of every answer of an authenticator, as `PublicKeyCredential.toJSON()` writes them. */
const ANSWER = {
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.Union([
    Type.Literal('platform'), Type.Literal('cross-platform'), Type.Null(),
  ])),
  clientExtensionResults: Type.Object({}),
}

/** The answer to `navigator.credentials.create()`. */
export const Registration = Type.Unsafe<RegistrationResponseJSON>(Type.Object({
  ...ANSWER,
  response: Type.Object({
    clientDataJSON: bytes(4096),
    attestationObject: bytes(4096),
    authenticatorData: Type.Optional(bytes(4096)),
    publicKey: Type.Optional(bytes(4096)),
    publicKeyAlgorithm: Type.Optional(Type.Integer()),
    transports: Type.Optional(Transports),
  }, strict),
}, { ...strict, title: 'PasskeyRegistration' }))

/** The answer to `navigator.credentials.get()`. */
export const Assertion = Type.Unsafe<AuthenticationResponseJSON>(Type.Object({
  ...ANSWER,
  response: Type.Object({
    clientDataJSON: bytes(4096),
    authenticatorData: bytes(4096),
    signature: bytes(4096),
    userHandle: Type.Optional(Type.Union([bytes(88), Type.Null()])),
  }, strict),
}, { ...strict, title: 'PasskeyAssertion' }))

const CHALLENGE = 'hGM1V2yMCTLdVVXBqyY8Lb0rD8F5Yx0p3bN4jZqO1wU'
const CREDENTIAL = 'pVZ3rQhIbqk8tTqX1fZkPw'
const clientData = (type: string) =>
  Buffer.from(JSON.stringify({ type, challenge: CHALLENGE, origin: 'https://auth.example.com' })).toString('base64url')

export const ASSERTION_EXAMPLE = {
  id: CREDENTIAL,
  rawId: CREDENTIAL,
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: clientData('webauthn.get'),
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MdAAAAAA',
    signature: 'MEUCIQDxk3',
    userHandle: 'XmJ2aWR0cmFuZG9tLWhhbmRsZQ',
  },
} as const
export const REGISTRATION_EXAMPLE = {
  id: CREDENTIAL,
  rawId: CREDENTIAL,
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: clientData('webauthn.create'),
    attestationObject: 'o2NmbXRkbm9uZQ',
    transports: ['internal'],
  },
} as const

export const PasskeyName = plainText({ minLength: 1, maxLength: 100, description: 'What the user calls it' })

const Descriptor = Type.Object({
  id: Type.String(),
  type: Type.String(),
  transports: Type.Optional(Type.Array(Type.String())),
})

const COMMON_OPTIONS = {
  challenge: Type.String({ description: 'Random. Valid once, in this browser, for five minutes' }),
  timeout: Type.Integer({ description: 'In milliseconds' }),
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export const RequestOptions = Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>(Type.Object({
  ...COMMON_OPTIONS,
  rpId: Type.String(),
  allowCredentials: Type.Optional(Type.Array(Descriptor)),
  userVerification: Type.String(),
}, {
  title: 'PasskeyRequestOptions',
  examples: [{ rpId: 'auth.example.com', challenge: CHALLENGE, timeout: 300_000, userVerification: 'required' }],
}))

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export const CreationOptions = Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>(Type.Object({
  ...COMMON_OPTIONS,
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  pubKeyCredParams: Type.Array(Type.Object({ alg: Type.Integer(), type: Type.String() })),
  attestation: Type.String(),
  excludeCredentials: Type.Array(Descriptor),
  authenticatorSelection: Type.Object({
    residentKey: Type.String(),
    requireResidentKey: Type.Optional(Type.Boolean()),
    userVerification: Type.String(),
  }),
  extensions: Type.Object({ credProps: Type.Boolean() }),
  hints: Type.Optional(Type.Array(Type.String())),
}, {
  title: 'PasskeyCreationOptions',
  examples: [{
    challenge: CHALLENGE,
    timeout: 300_000,
    rp: { id: 'auth.example.com', name: 'Gatehouse' },
    user: { id: 'XmJ2aWR0cmFuZG9tLWhhbmRsZQ', name: 'ada', displayName: 'Ada Lovelace' },
    pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
    attestation: 'none',
    excludeCredentials: [],
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    extensions: { credProps: true },
  }],
}))
