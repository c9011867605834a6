import { safeNext } from '../../pages/parts/safe-next.js'

/** The cookie goes with every request for some minutes, and must not fill the header line of a reverse proxy. */
const MAX_LENGTH = 512

/**
 * The path to open after sign-in, by the rules of the login page. `home` if `next` is missing, unsafe or too long.
 * A path that is too long only because of its fragment loses the fragment.
 */
export function returnPath (next: string | undefined, home: string): string {
  const path = safeNext(next, home)
  const [withoutFragment = ''] = path.split('#')
  return [path, withoutFragment].find(each => each.length <= MAX_LENGTH) ?? home
}
