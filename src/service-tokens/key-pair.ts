import { randomUUID } from 'node:crypto'
import { exportJWK, exportPKCS8, generateKeyPair, type CryptoKey, type JWK } from 'jose'
import type { SigningAlgorithm } from './key-rotation.ts'

export type PublicKey = Required<Pick<JWK, 'kty' | 'crv' | 'x' | 'kid' | 'alg' | 'use'>> & Pick<JWK, 'y'>

interface KeyPair {
  kid: string
  algorithm: SigningAlgorithm
  publicKey: PublicKey
  privateKey: CryptoKey
  /** The private key as text. It must be encrypted before it is stored. */
  pem: string
}

export async function createKeyPair (algorithm: SigningAlgorithm): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = await exportJWK(publicKey)
  // Not the thumbprint, which may begin with a hyphen, like an option of a command.
  const kid = randomUUID()
  return {
    kid,
    algorithm,
    publicKey: { ...jwk, kid, alg: algorithm, use: 'sig' } as PublicKey,
    privateKey,
    pem: await exportPKCS8(privateKey),
  }
}
