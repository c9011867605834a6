import { gatehouse } from '../parts/api.js'
import { arrivalMessage } from './arrival.js'
import { byId, showPart } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { rememberWay } from '../parts/last-way.js'
import { showMessage } from '../parts/notice.js'
import { beginWithOneField } from './one-field.js'
import { handlePasskeySignIn } from './passkey-sign-in.js'
import { handleReveal } from '../parts/reveal.js'
import { withFragment } from '../parts/safe-next.js'
import { handleSecondStep } from './second-step.js'
import { texts } from '../parts/texts.js'
import { keepNext, leaveIfSignedIn, leaveTo, requestedNext, withNext } from '../parts/way-back.js'

const form = byId('login', HTMLFormElement)
const query = new URLSearchParams(location.search)
const requested = requestedNext()
const next = requested ? withFragment(requested, location.hash) : form.dataset.home ?? '/dashboard'

const arrivalNotice = byId('arrival', HTMLElement)

const leave = () => leaveTo(next)

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
keepNext(requested && next)

const arrival = arrivalMessage(query, new Map([...links].map(({ dataset: { key, name } }) => [key, name])))
if (arrival) showMessage(arrivalNotice, ...arrival)
handleReveal()
// The page for it begins with the address that was typed here.
document.getElementById('use-mail')?.addEventListener('click', ({ currentTarget }) => {
  const typed = byId('username', HTMLInputElement).value
  if (currentTarget instanceof HTMLAnchorElement && typed.includes('@')) {
    currentTarget.hash = String(new URLSearchParams({ email: typed }))
  }
})
// An application of the OpenID provider may know who wants to sign in.
const hint = query.get('login_hint')
if (hint) byId('username', HTMLInputElement).value = hint
const offerPasskeys = handlePasskeySignIn(leave)
const askForSecondFactor = handleSecondStep({ onSignedIn: leave, onStartAgain: startAgain })
const showWays = beginWithOneField(form)
form.addEventListener('submit', () => showMessage(arrivalNotice, ''))
handleForm(form, async ({ username = '', password = '' }) => {
  if (showWays()) return
  const result = await gatehouse.signIn(username, password)
  rememberWay(false)
  if ('secondFactor' in result) askForSecondFactor(result.secondFactor, username)
  else await leave()
}, {
  401 () {
    // For an account that is not confirmed, and all others: the response is the same.
    document.getElementById('resend')?.removeAttribute('hidden')
    const reset = document.createElement('a')
    reset.href = withNext('/reset-password', requested && next)
    // The full stop is not part of the link.
    const [action = '', stop = ''] = texts.login.reset.split(/(?=[.。]$)/)
    reset.textContent = action
    return { parts: [`${texts.login.wrong} `, reset, stop], goOnWith: 'password' }
  },
})

addEventListener('pageshow', event => { if (event.persisted) location.reload() })
// After a sign-in through a provider, for an account with a second factor.
const methods = query.get('second_factor')?.split(',') ?? []
if (!askForSecondFactor(methods)) {
  await leaveIfSignedIn(next)
  offerPasskeys()
}
