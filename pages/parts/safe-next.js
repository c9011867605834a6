const BASE = 'http://here.invalid'
const isPath = (/** @type {string} */ text) => /^\/(?![/\\])/.test(text)

/**
 * The URL to open after sign-in: a path on this origin or a URL of an app, otherwise `home`. Browsers ignore tabs and
 * newlines in URLs, treat `\` as `/`, and read `//` as the start of a host.
 * @param {string | null | undefined} next
 * @param {string} home
 * @param {string[]} [origins] Those of the apps.
 */
export function safeNext (next, home, origins = []) {
  if (!next || /[\p{Cc}\\]/u.test(next) || !URL.canParse(next, BASE)) return home
  const { href, origin, pathname, search, hash, username, password } = new URL(next, BASE)
  if (/^https?:\/\//.test(next)) return origins.includes(origin) && !username && !password ? href : home
  // `/.//host` becomes `//host` when it is normalised.
  if (!isPath(next) || origin !== BASE || !isPath(pathname) || pathname === '/login') return home
  return pathname + search + hash
}

/**
 * Adds the fragment of the login page to a path without one: browsers keep the fragment of the page that was
 * requested when a server redirects them to /login.
 * @param {string} path
 * @param {string} fragment
 */
export const withFragment = (path, fragment) => path.includes('#') ? path : path + fragment
