import { gatehouse, post } from '../parts/api.js'
import { GatehouseError } from '../client.js'
import { countDown, formatClock } from '../parts/countdown.js'
import { byId, goToPart, showPart } from '../parts/elements.js'
import { handleForm, messageFor } from '../parts/form.js'
import { rememberWay } from '../parts/last-way.js'
import { linkParameter, takeLinkToken } from '../parts/link-token.js'
import { handleMailCode } from '../parts/mail-code.js'
import { showMessage } from '../parts/notice.js'
import { offerPasskey } from './offer-passkey.js'
import { texts } from '../parts/texts.js'
import { keepNext, leaveIfSignedIn, leaveTo, requestedNext } from '../parts/way-back.js'

const { 'mail-sign-in': words } = texts
/** In seconds, until the mail can be sent again. */
const WAIT = 60

const ask = byId('ask', HTMLFormElement)
const enter = byId('enter', HTMLFormElement)
const askNotice = byId('ask-notice', HTMLElement)
const email = byId('email', HTMLInputElement)
const code = handleMailCode()
/** @type {string | null} */
let token = null
let next = ''

const home = () => next || (ask.dataset.home ?? '/dashboard')
const isStatus = (/** @type {unknown} */ error, /** @type {number} */ status) =>
  error instanceof GatehouseError && error.status === status

/** @param {GatehouseError} error */
const unavailable = error => error.error === 'Mail unavailable' ? words.unavailable : messageFor(error.status)

/** @param {string} message */
function startAgain (message) {
  token = null
  goToPart('ask')
  showMessage(askNotice, message)
}

async function sendMail () {
  await gatehouse.sendSignInMail(email.value, { next })
  byId('address', HTMLElement).textContent = email.value
  goToPart('enter')
  code.value = ''
  code.focus()
  const wait = byId('wait', HTMLElement)
  byId('nothing-came', HTMLElement).hidden = true
  countDown(WAIT, left => {
    wait.hidden = left === 0
    wait.textContent = words.again(formatClock(left))
    if (left === 0) byId('nothing-came', HTMLElement).hidden = false
  })
}

/** @param {{ code: string } | { token: string }} proof */
async function signIn (proof) {
  const result = await gatehouse.signInByMail(proof)
  rememberWay('code' in proof)
  if ('register' in result) {
    byId('new-address', HTMLElement).textContent = result.email
    return goToPart('new-account')
  }
  // The login page has the second step.
  if ('secondFactor' in result) {
    const query = new URLSearchParams({ second_factor: result.secondFactor.join(), ...next && { next } })
    return leaveTo(`/login?${query}`)
  }
  await offerPasskey(home())
}

handleForm(ask, sendMail, { 503: unavailable })
handleForm(enter, ({ code = '' }) => signIn({ code }), { 400: ['code', words.wrong], 401: ['code', words.wrong] })
byId('send-again', HTMLButtonElement).addEventListener('click', () => {
  goToPart('ask')
  ask.requestSubmit()
})

handleForm(byId('link', HTMLFormElement), async () => {
  try {
    await signIn({ token: token ?? '' })
  } catch (error) {
    if (!isStatus(error, 400)) throw error
    startAgain(words.invalid)
  }
})

handleForm(byId('new-account', HTMLFormElement), async ({ name = '', username }) => {
  try {
    await gatehouse.registerByMail({ name, username })
  } catch (error) {
    if (!isStatus(error, 401)) throw error
    return startAgain(words.over)
  }
  await offerPasskey(home())
}, { 409: ['username', texts.register.taken], 403: texts.register.closed })

/** Names the account. It is signed in to only after a click: mail scanners also open links and run scripts. */
async function openLink () {
  try {
    const { email, username, askedHere } = await (await post('/login/mail/link', { token })).json()
    byId('account', HTMLElement).textContent = username ? `${username} (${email})` : email
    byId('not-asked', HTMLElement).hidden = askedHere
    goToPart('link')
  } catch (error) {
    startAgain(isStatus(error, 400) ? words.invalid : messageFor(error instanceof GatehouseError ? error.status : -1))
  }
}

async function open () {
  next = requestedNext(linkParameter('next'))
  keepNext(next)
  token = takeLinkToken() ?? token
  if (token) return openLink()
  showPart('ask')
  email.value = linkParameter('email') ?? email.value
  if (location.hash) history.replaceState(null, '', location.pathname + location.search)
  await leaveIfSignedIn(home())
}

addEventListener('hashchange', open)
await open()
