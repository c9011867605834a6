import type { Config } from '../config.ts'
import { signedCookie, type SignedCookie } from '../sessions/signed-cookie.ts'
import type { Provider } from './providers.ts'

/** From the start of a sign-in to its callback, in seconds. */
export const SIGN_IN_TIME = 10 * 60

/**
 * A cookie of a sign-in that is under way. In production it has the prefix `__Host-`:
 * browsers accept it from this host only, so a sibling host cannot plant a sign-in of its own.
 */
export function transactionCookie (
  { NODE_ENV }: Config,
  { key, path }: Provider,
  part: 'state' | 'verifier' | 'transaction'
): SignedCookie {
  const production = NODE_ENV === 'production'
  return signedCookie(`${production ? '__Host-' : ''}${key}_${part}`, {
    path: production ? '/' : `/api/auth/${path}`,
    httpOnly: true,
    // The callback is a navigation that another site begins.
    sameSite: 'lax',
    secure: production,
    maxAge: SIGN_IN_TIME,
  })
}
