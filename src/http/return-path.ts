import { safeNext } from '../../pages/safe-next.js'

/** In base64, a path of this length fits into a cookie: browsers keep 4 KiB. */
const MAX_LENGTH = 2_048

/** The path to open after sign-in, by the rules of the login page. `home` if `next` is missing, unsafe or too long. */
export function returnPath (next: string | undefined, home: string): string {
  const path = safeNext(next, home)
  return path.length <= MAX_LENGTH ? path : home
}
