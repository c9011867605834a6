import { gatehouse } from '../parts/api.js'
import { arrivalMessage } from './arrival.js'
import { byId, showPart } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { handlePasskeySignIn } from './passkey-sign-in.js'
import { handleReveal } from '../parts/reveal.js'
import { safeNext, withFragment } from '../parts/safe-next.js'
import { handleSecondStep } from './second-step.js'
import { texts } from '../parts/texts.js'

const form = byId('login', HTMLFormElement)
const query = new URLSearchParams(location.search)
const requested = safeNext(query.get('next'), '')
const next = requested ? withFragment(requested, location.hash) : form.dataset.home ?? '/dashboard'

const arrivalNotice = byId('arrival', HTMLElement)

/**
 * Replaces the history entry, so that the back button does not return to the login page.
 * Never resolves, which keeps the form busy until the next page has loaded.
 */
function leave () {
  location.replace(gatehouse.mustEnrol() ? `/dashboard?${new URLSearchParams({ next })}` : next)
  return new Promise(() => {})
}

/** A page opened from another site was requested without the Strict cookies; this request has them. */
async function leaveIfSignedIn () {
  if (await gatehouse.me().catch(() => null) || gatehouse.mustEnrol()) await leave()
}

/** @param {string} message */
function startAgain (message) {
  query.delete('second_factor')
  history.replaceState(null, '', `?${query}${location.hash}`)
  form.reset()
  showPart('first-step')
  showMessage(arrivalNotice, message)
  byId('username', HTMLInputElement).focus()
  offerPasskeys()
}

const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('.providers a'))
// After a sign-in through a provider, the same page opens as after one with this form.
for (const link of links) if (requested) link.search = String(new URLSearchParams({ next }))

const arrival = arrivalMessage(query, new Map([...links].map(({ dataset: { key, name } }) => [key, name])))
if (arrival) showMessage(arrivalNotice, ...arrival)
handleReveal()
const offerPasskeys = handlePasskeySignIn(leave)
const askForSecondFactor = handleSecondStep({ onSignedIn: leave, onStartAgain: startAgain })
handleForm(form, async ({ username = '', password = '' }) => {
  const result = await gatehouse.signIn(username, password)
  if ('secondFactor' in result) askForSecondFactor(result.secondFactor)
  else await leave()
}, { 401: texts.login.wrong })

addEventListener('pageshow', event => { if (event.persisted) location.reload() })
// After a sign-in through a provider, for an account with a second factor.
const methods = query.get('second_factor')?.split(',') ?? []
if (!askForSecondFactor(methods)) {
  await leaveIfSignedIn()
  offerPasskeys()
}
