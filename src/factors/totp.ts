import { generateSecret, generateURI, verifySync } from 'otplib'
import { renderSVG } from 'uqr'

/** One step of 30 seconds before and after the present one, for clocks that differ. */
const TOLERANCE = 30

/** The key of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds), as text, as a link and as a QR code. */
export function createTotpKey (issuer: string, label: string) {
  const secret = generateSecret()
  // A colon separates issuer and label in the link.
  const uri = generateURI({ issuer: issuer.replaceAll(':', ''), label: label.replaceAll(':', ''), secret })
  return { secret, uri, qr: renderSVG(uri) }
}

/** The time step whose code this is: the present one, or the one before or after. */
export function stepOf (secret: string, code: string, now: number): number | undefined {
  const token = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const result = verifySync({ secret, token, epoch: Math.floor(now / 1_000), epochTolerance: TOLERANCE })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}
