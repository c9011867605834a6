/** Where each request begins: at a button, or at a field whose value it sends. */
const BEGINNINGS = new Map([
  ['/api/auth/factors/totp', 'add-totp'],
  ['/api/auth/factors/passkeys/options', 'add-passkey'],
  ['/api/auth/password', 'new-password'],
  ['/api/auth/email', 'new-email'],
  ['/api/auth/export', 'download-data'],
  ['/api/auth/me', 'delete'],
])

/**
 * The page that a provider leads back to, for a user who confirms their identity there.
 * @param {string} request The path of the request that needs it.
 */
export function pathBack (request) {
  const section = request.startsWith('/api/auth/providers/') ? 'providers' : 'factors'
  return `${location.pathname}${location.search}#${BEGINNINGS.get(request) ?? section}`
}

/** Scrolls to what the address names, and begins a request again that was left for a provider. */
export function goOn () {
  const id = location.hash.slice(1)
  const place = document.getElementById(id)
  place?.scrollIntoView()
  if (!place || place.hidden || ![...BEGINNINGS.values()].includes(id)) return
  // A reload does not begin it once more.
  history.replaceState(history.state, '', location.pathname + location.search)
  if (place instanceof HTMLButtonElement) place.click()
  else place.focus()
}
