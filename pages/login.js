// @ts-check
import { gatehouse } from './api.js'
import { arrivalMessage } from './arrival.js'
import { byId } from './elements.js'
import { handleForm } from './form.js'
import { showMessage } from './notice.js'
import { handleReveal } from './reveal.js'
import { safeNext, withFragment } from './safe-next.js'
import { texts } from './texts.js'

const form = byId('login', HTMLFormElement)
const query = new URLSearchParams(location.search)
const requested = safeNext(query.get('next'), '')
const next = requested ? withFragment(requested, location.hash) : form.dataset.home ?? '/dashboard'

/** Replaces the history entry, so that the back button does not return to the login page. */
const leave = () => location.replace(next)

/** A page opened from another site was requested without the Strict cookies; this request has them. */
async function leaveIfSignedIn () {
  if (await gatehouse.me().catch(() => null)) leave()
}

// After a sign-in through a provider, the same page opens as after one with this form.
for (const link of document.querySelectorAll('.providers a')) {
  if (requested && link instanceof HTMLAnchorElement) link.search = String(new URLSearchParams({ next }))
}

const arrival = arrivalMessage(query, {
  provider_a: form.dataset.providerA ?? '',
  provider_b: form.dataset.providerB ?? '',
})
if (arrival) showMessage(byId('arrival', HTMLElement), ...arrival)
handleReveal()
handleForm(form, async ({ username = '', password = '' }) => {
  await gatehouse.signIn(username, password)
  leave()
  // Keeps the form busy until the next page has loaded.
  await new Promise(() => {})
}, { 401: texts.login.wrong })

addEventListener('pageshow', event => { if (event.persisted) location.reload() })
await leaveIfSignedIn()
