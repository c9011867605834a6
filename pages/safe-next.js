// @ts-check

const HERE = 'http://here.invalid'
const isPath = (/** @type {string} */ text) => /^\/(?![/\\])/.test(text)

/**
 * Where to go after sign-in: a path of ours, or home. Browsers drop tabs and newlines, take `\` for `/`, and `//` for another host.
 * @param {string | null | undefined} next
 * @param {string} home
 */
export function safeNext (next, home) {
  if (!next || !isPath(next) || /[\p{Cc}\\]/u.test(next) || !URL.canParse(next, HERE)) return home
  const { origin, pathname, search, hash } = new URL(next, HERE)
  // `/.//host` is a path until its dots are taken out.
  if (origin !== HERE || !isPath(pathname) || pathname === '/login') return home
  return pathname + search + hash
}
