const BASE = 'http://here.invalid'
const isPath = (/** @type {string} */ text) => /^\/(?![/\\])/.test(text)

/**
 * The URL to open after sign-in: a path on this origin, otherwise `home`. Browsers ignore tabs and newlines in URLs,
 * treat `\` as `/`, and read `//` as the start of a host.
 * @param {string | null | undefined} next
 * @param {string} home
 */
export function safeNext (next, home) {
  if (!next || !isPath(next) || /[\p{Cc}\\]/u.test(next) || !URL.canParse(next, BASE)) return home
  const { origin, pathname, search, hash } = new URL(next, BASE)
  // `/.//host` becomes `//host` when it is normalised.
  if (origin !== BASE || !isPath(pathname) || pathname === '/login') return home
  return pathname + search + hash
}

/**
 * Adds the fragment of the login page to a path without one: browsers keep the fragment of the page that was
 * requested when a server redirects them to /login.
 * @param {string} path
 * @param {string} fragment
 */
export const withFragment = (path, fragment) => path.includes('#') ? path : path + fragment
