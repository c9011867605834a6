import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import type {
  AuthenticationResponseJSON, PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { cose, isoCBOR } from '@simplewebauthn/server/helpers'
import { attest, type Attestation } from './attestation.ts'

const { COSEALG, COSECRV, COSEKEYS, COSEKTY } = cose

/** What an answer can get wrong. */
export interface Fault {
  origin?: string
  rpId?: string
  challenge?: string
  userVerified?: boolean
  userPresent?: boolean
  crossOrigin?: boolean
  counter?: number
  userHandle?: string | null
  /** Signs with another key. */
  forged?: boolean
  /** In place of the one of the ceremony. */
  type?: string
  attestation?: Attestation
}

const FLAGS = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 }
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()

/**
 * An authenticator in software, together with its browser at `origin`: real keys, real signatures.
 * `counts`: whether it has a signature counter; passkeys that are synced between devices always report 0.
 */
export function createAuthenticator (origin: string, { counts = false } = {}) {
  const { publicKey, privateKey } = newKey()
  const credentialId = randomBytes(16)
  const id = base64url(credentialId)
  let counter = counts ? 1 : 0
  let userHandle = ''

  function clientData (type: string, challenge: string, fault: Fault): Buffer {
    return Buffer.from(JSON.stringify({
      type: fault.type ?? type,
      challenge: fault.challenge ?? challenge,
      origin: fault.origin ?? origin,
      crossOrigin: fault.crossOrigin ?? false,
    }))
  }

  function authenticatorData (rpId: string, fault: Fault, attested?: Uint8Array): Buffer {
    const { userPresent = true, userVerified = true } = fault
    const flags = (userPresent ? FLAGS.userPresent : 0) | (userVerified ? FLAGS.userVerified : 0) |
      (counts ? 0 : FLAGS.backupEligible | FLAGS.backedUp) | (attested ? FLAGS.attested : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(fault.counter ?? counter)
    return Buffer.concat([sha256(fault.rpId ?? rpId), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)])
  }

  /** Zeros for the model, the length of the id, the id and the key. */
  function attestedData (): Buffer {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(credentialId.length)
    return Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey)])
  }

  return {
    id,
    get handle () { return userHandle },

    /** The answer to `navigator.credentials.create()`. */
    create (options: PublicKeyCredentialCreationOptionsJSON, fault: Fault = {}): RegistrationResponseJSON {
      userHandle = options.user.id
      const client = clientData('webauthn.create', options.challenge, fault)
      const data = authenticatorData(options.rp.id ?? '', fault, attestedData())
      const key = fault.forged ? newKey().privateKey : privateKey
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          attestationObject: base64url(attest(fault.attestation ?? 'none', data, sha256(client), key)),
          transports: ['internal'],
        },
      }
    },

    /** The answer to `navigator.credentials.get()`. */
    get (options: PublicKeyCredentialRequestOptionsJSON, fault: Fault = {}): AuthenticationResponseJSON {
      if (counts) counter++
      const client = clientData('webauthn.get', options.challenge, fault)
      const data = authenticatorData(options.rpId ?? '', fault)
      const key = fault.forged ? newKey().privateKey : privateKey
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), key)),
          ...(fault.userHandle !== null && { userHandle: fault.userHandle ?? userHandle }),
        },
      }
    },
  }
}

function coseKey (key: KeyObject): Uint8Array {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return isoCBOR.encode(new Map<number, number | Uint8Array>([
    [COSEKEYS.kty, COSEKTY.EC2],
    [COSEKEYS.alg, COSEALG.ES256],
    [COSEKEYS.crv, COSECRV.P256],
    [COSEKEYS.x, new Uint8Array(Buffer.from(x, 'base64url'))],
    [COSEKEYS.y, new Uint8Array(Buffer.from(y, 'base64url'))],
  ]))
}
