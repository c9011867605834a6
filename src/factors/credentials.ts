import type { RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'

/**
 * Attestation is not asked for. One with certificates is refused before it is verified: for that, the library
 * would load revocation lists from the addresses in the certificates.
 */
export async function requireNoCertificates ({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject))
  const format = attestation.get('fmt')
  const isPlain = format === 'none' || (format === 'packed' && !attestation.get('attStmt').get('x5c'))
  if (!isPlain) throw new Error('the attestation has certificates')
}

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
