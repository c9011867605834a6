// @ts-check
import { gatehouse } from './api.js'
import { arrivalSentence } from './arrival.js'
import { byId } from './elements.js'
import { handleForm } from './form.js'
import { say } from './notice.js'
import { handleReveal } from './reveal.js'
import { safeNext } from './safe-next.js'
import { texts } from './texts.js'

const form = byId('login', HTMLFormElement)
const query = new URLSearchParams(location.search)
const next = safeNext(query.get('next'), form.dataset.home ?? '/dashboard')

/** Not to be found with the back button. */
const goOn = () => location.replace(next)

/** The browser sends its cookies with this request, also where it did not with the page: somebody came from another site. */
async function sendOn () {
  if (await gatehouse.me().catch(() => null)) goOn()
}

const arrival = arrivalSentence(query, { provider_a: form.dataset.providerA ?? '', provider_b: form.dataset.providerB ?? '' })
if (arrival) say(byId('arrival', HTMLElement), ...arrival)
handleReveal()
handleForm(form, async ({ username = '', password = '' }) => {
  await gatehouse.signIn(username, password)
  goOn()
  // The form stays as it is until the next page is there.
  await new Promise(() => {})
}, { 401: texts.login.wrong })

addEventListener('pageshow', event => { if (event.persisted) location.reload() })
await sendOn()
