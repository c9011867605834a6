import { change, gatehouse, read } from '../parts/api.js'
import { byId } from '../parts/elements.js'
import { asGatehouseError, handleForm, messageFor } from '../parts/form.js'
import { showMessage, showWait } from '../parts/notice.js'
import { texts } from '../parts/texts.js'
import { withNext } from '../parts/way-back.js'

/**
 * What an application asks for. `host`: where it is. `unverified`: it registered itself, perhaps with a document at
 * this host, or on the device of the user. `secondFactor`: whether it asks for one.
 * @typedef {object} ApplicationRequest
 * @property {{ id: string, name: string, host: string, trusted: boolean, unverified?: Unverified }} application
 * @property {string[]} scopes
 * @property {import('../parts/scopes.js').Resource[]} resources
 * @property {{ username: string, email: string, name: string | null }} account
 * @property {boolean} secondFactor
 * @typedef {{ document: string | null, onDevice: boolean }} Unverified
 */

const RETRY_DELAY = 5_000
const { expired: EXPIRED } = texts['oidc-error']

/** The address of the request. The pages that ask the user about it are there and at `/confirm` below it. */
const path = location.pathname.replace(/\/confirm$/, '')

/** Replaces the history entry. Never resolves, which keeps the form busy. @param {string} url */
function leaveTo (url) {
  location.replace(url)
  return new Promise(() => {})
}

/** The user has proved what the application asks for. */
export const goOn = () => leaveTo(path)

/** @param {boolean} allow */
async function answer (allow) {
  const { next } = await (await change('POST', path, { allow })).json()
  return leaveTo(next)
}

/**
 * An access token can be valid longer than its session: without the sign-out, the login page would lead back to this
 * page endlessly. A user who must add a second factor does so first.
 */
async function signInAgain () {
  if (!gatehouse.mustEnrol()) await gatehouse.signOut().catch(asGatehouseError)
  return leaveTo(withNext('/login', path))
}

/** A form whose only button is the answer of the user. @param {string} id @param {boolean} allow */
export function handleAnswer (id, allow) {
  handleForm(byId(id, HTMLFormElement), () => answer(allow), {
    401 () {
      signInAgain()
      return texts.failure[401]
    },
    404: EXPIRED.lead,
  })
}

/**
 * One that registered itself is shown by its address: it could have chosen any name.
 * @param {ApplicationRequest['application']} application
 */
export function nameAndHost ({ name, host, unverified }) {
  if (!unverified) return { application: name, host }
  const { document: documentHost, onDevice } = unverified
  const known = documentHost ?? (onDevice ? texts.consent.onDevice : host)
  return { application: known, host: '', claimed: name, 'returns-to': host }
}

/**
 * Loads the request of the application, and shows it. Without a session, the user signs in first.
 * @param {(request: ApplicationRequest, path: string) => unknown} show
 */
export async function showRequest (show) {
  const failure = byId('failure', HTMLElement)
  try {
    await show(await read(`${path}/request`), path)
    for (const link of document.querySelectorAll('a.another')) link.setAttribute('href', withNext('/logout', path))
    byId('request', HTMLElement).hidden = false
    showMessage(failure, '')
  } catch (error) {
    const { status, retryAfter = 60 } = asGatehouseError(error)
    if (status === 401) return signInAgain()
    if (status === 404) {
      for (const heading of document.querySelectorAll('h1')) heading.textContent = EXPIRED.title
      return showMessage(failure, EXPIRED.lead)
    }
    if (status === 429) await showWait(failure, retryAfter)
    else {
      showMessage(failure, messageFor(status))
      await new Promise(resolve => setTimeout(resolve, RETRY_DELAY))
    }
    return showRequest(show)
  }
}

// After the back button, the request may have been answered.
addEventListener('pageshow', event => { if (event.persisted) location.reload() })
