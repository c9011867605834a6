import { openForm } from './open-form.js'
import { namedPlace, shownPath } from './sections.js'

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

/** Goes to what the address names, and begins a request again that was left for a provider. */
export function goOn () {
  const place = namedPlace()
  if (!place) return
  // Password managers lead to the section: /.well-known/change-password.
  const form = place.closest('form') ?? (place.id === 'password' && place.querySelector('form'))
  if (form) openForm(form)
  place.scrollIntoView()
  if (place.hidden || ![...BEGINNINGS.values()].includes(place.id)) return
  // A reload does not begin it once more.
  history.replaceState(history.state, '', shownPath() + location.search)
  if (place instanceof HTMLButtonElement) place.click()
  else place.focus()
}
