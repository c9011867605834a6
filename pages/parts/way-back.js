import { gatehouse } from './api.js'
import { appOrigins } from './app-origins.js'
import { safeNext } from './safe-next.js'

/** The pages before a sign-in. Each leads on to the others. */
const PAGES = ['/login', '/login/mail', '/register', '/reset-password', '/verify-email']

/**
 * The path to open after the sign-in, from the query or from the link of a mail. Empty if none was requested.
 * @param {string | null} [ofLink]
 */
export const requestedNext = ofLink =>
  safeNext(ofLink ?? new URLSearchParams(location.search).get('next'), '', appOrigins)

/** @param {string} path @param {string} next */
export const withNext = (path, next) => next ? `${path}?${new URLSearchParams({ next })}` : path

/** The links of this page to the other pages keep the path. @param {string} next */
export function keepNext (next) {
  const others = PAGES.filter(path => path !== location.pathname)
  for (const link of document.querySelectorAll('a')) {
    if (link.origin !== location.origin || !others.includes(link.pathname)) continue
    const query = new URLSearchParams(link.search)
    if ((query.get('next') ?? '') === next) continue
    query.delete('next')
    if (next) query.set('next', next)
    link.search = String(query)
  }
}

/**
 * Replaces the history entry, so that the back button does not return to this page.
 * Never resolves, which keeps the form busy until the next page has loaded.
 * @param {string} next
 */
export function leaveTo (next) {
  location.replace(gatehouse.mustEnrol() ? withNext('/dashboard', next) : next)
  return new Promise(() => {})
}

/**
 * Goes on if a user is signed in. A page opened from another site was requested without the Strict cookies;
 * this request has them.
 * @param {string} next
 */
export async function leaveIfSignedIn (next) {
  if (await gatehouse.me().catch(() => null) || gatehouse.mustEnrol()) await leaveTo(next)
}
