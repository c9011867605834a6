import type { WebAuthnCredential } from '@simplewebauthn/server'

/** A public key that no authenticator has. Comparing with it takes as long as with that of a known passkey. */
export async function createUnknownCredential (): Promise<WebAuthnCredential> {
  const { cose: { COSECRV, COSEKEYS, COSEKTY }, COSEALG, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { publicKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', publicKey)
  const key = new Map<number, number | Uint8Array>([
    [COSEKEYS.kty, COSEKTY.EC2],
    [COSEKEYS.alg, COSEALG.ES256],
    [COSEKEYS.crv, COSECRV.P256],
    [COSEKEYS.x, new Uint8Array(Buffer.from(x, 'base64url'))],
    [COSEKEYS.y, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
  return { id: '', publicKey: isoCBOR.encode(key), counter: 0 }
}
