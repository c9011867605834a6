import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, importJWK, jwtVerify, type JWK } from 'jose'

/** A public key of a device, without anything else that the browser may have sent. */
export type DeviceKey = { kty: 'EC', crv: 'P-256', x: string, y: string } | { kty: 'RSA', n: string, e: string }

/** RSA keys of up to 4096 bits: checking a signature by a larger one would take long. */
const MAX_MODULUS_LENGTH = 683

function asDeviceKey ({ kty, crv, x, y, n, e }: JWK): DeviceKey | undefined {
  if (kty === 'EC' && crv === 'P-256' && x && y) return { kty: 'EC', crv: 'P-256', x, y }
  if (kty === 'RSA' && n && n.length <= MAX_MODULUS_LENGTH && e === 'AQAB') return { kty: 'RSA', n, e: 'AQAB' }
}

/** What a device signed: a challenge, and with the first signature its public key. Nothing is verified yet. */
export function readSignature (token: string | undefined): { challenge?: string, jwk?: DeviceKey } {
  try {
    const { jwk } = decodeProtectedHeader(token ?? '')
    const { jti } = decodeJwt(token ?? '')
    return { challenge: typeof jti === 'string' ? jti : undefined, jwk: jwk && asDeviceKey(jwk) }
  } catch {
    return {}
  }
}

/** Whether this key signed the token. Each kind of key has one algorithm. */
export async function isSignedBy (jwk: DeviceKey, token: string): Promise<boolean> {
  const alg = jwk.kty === 'EC' ? 'ES256' : 'RS256'
  try {
    await jwtVerify(token, await importJWK(jwk, alg), { algorithms: [alg], typ: 'dbsc+jwt' })
    return true
  } catch {
    return false
  }
}

export const thumbprintOf = (jwk: DeviceKey): Promise<string> => calculateJwkThumbprint(jwk)
