import type { RegistrationResponseJSON } from '@simplewebauthn/server'

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
