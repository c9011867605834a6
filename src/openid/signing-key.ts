import { createPublicKey } from 'node:crypto'
import type { CryptoKey, JWK } from 'jose'
import { ExternalSigningKey } from 'oidc-provider'

export interface Key {
  kid: string
  publicKey: JWK
  /** Without it, the key only verifies. */
  privateKey?: CryptoKey
}

/** A key of the service, whose private part the provider does not get to see. */
export class SigningKey extends ExternalSigningKey {
  readonly #key: Key

  constructor (key: Key) {
    super()
    this.#key = key
    Object.assign(this, { kid: key.kid, alg: key.publicKey.alg })
  }

  override keyObject () {
    return createPublicKey({ key: { ...this.#key.publicKey }, format: 'jwk' })
  }

  override async sign (data: Uint8Array<ArrayBuffer>) {
    const { privateKey } = this.#key
    if (!privateKey) throw new Error('this key signs no more')
    return new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, data))
  }
}
