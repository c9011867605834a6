import { GatehouseError } from '../../client.js'
import { handleCodeField } from '../../parts/code-field.js'
import { byId, showPart } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { showMessage } from '../../parts/notice.js'
import { handlePasskeyButton } from '../../parts/passkey-button.js'
import { cancelPasskey, hasPasskeys } from '../../parts/passkeys.js'
import { handleReveal } from '../../parts/reveal.js'
import { safeNext } from '../../parts/safe-next.js'
import { texts } from '../../parts/texts.js'
import { passkeyOptions, post } from '../parts/api.js'

const HOME = '/operator/'
const form = byId('login', HTMLFormElement)
const arrival = byId('arrival', HTMLElement)
const secondStep = byId('second-step', HTMLFormElement)
const secondNotice = /** @type {HTMLElement} */ (secondStep.querySelector('[role=alert]'))
const secondPasskey = byId('second-passkey', HTMLButtonElement)
const submit = byId('second-submit', HTMLButtonElement)
const field = handleCodeField()
const query = new URLSearchParams(location.search)

/** Never resolves, which keeps the form busy until the next page has loaded. */
function enter () {
  const next = safeNext(query.get('next'), HOME)
  location.replace(/^\/operator\/(?!sign-in)/.test(next) ? next : HOME)
  return new Promise(() => {})
}

/** @param {string} message */
function startAgain (message) {
  cancelPasskey()
  form.reset()
  showPart('first-step')
  showMessage(arrival, message)
  byId('username', HTMLInputElement).focus()
}

/** @param {object} answer */
async function finish (answer) {
  try {
    await post('/session/second-factor', answer)
  } catch (error) {
    if (!(error instanceof GatehouseError && error.error === 'Login expired')) throw error
    return startAgain(texts.secondStep.over)
  }
  await enter()
}

/** @param {string[]} methods @param {() => void} [onRecovery] */
function askForSecondFactor (methods, onRecovery) {
  const needsCode = field.offer(methods, onRecovery)
  const canUsePasskey = methods.includes('passkey') && hasPasskeys
  secondPasskey.hidden = !canUsePasskey
  // A disabled button also keeps the Enter key from sending the form.
  submit.hidden = submit.disabled = !needsCode
  secondPasskey.classList.toggle('main', submit.hidden)
  byId('passkey-lead', HTMLElement).hidden = needsCode || !canUsePasskey
  showMessage(secondNotice, needsCode || canUsePasskey ? '' : texts.passkeys.unsupported)
  showPart('second-step')
  const first = needsCode ? field.input : canUsePasskey ? secondPasskey : byId('start-again', HTMLButtonElement)
  first.focus()
}

if (query.get('reason') === 'signed-out') showMessage(arrival, texts.arrival.signedOut, 'plain')
if (query.get('reason') === 'ended') showMessage(arrival, 'Your session has ended. Please sign in again.', 'plain')
handleReveal()
handleForm(form, async ({ username, password }) => {
  showMessage(arrival, '')
  const { secondFactor } = await (await post('/session', { username, password })).json()
  askForSecondFactor(secondFactor, () => askForSecondFactor(secondFactor))
}, { 401: 'Username or password is incorrect.', 403: ({ message }) => message })
handleForm(secondStep, ({ code = '' }) => finish({ code }), { 401: () => ['code', field.wrong()] })
handlePasskeyButton(secondPasskey, secondNotice, passkey => finish({ passkey }), { getOptions: passkeyOptions })
byId('start-again', HTMLButtonElement).addEventListener('click', () => startAgain(''))

const passkey = byId('use-passkey', HTMLButtonElement)
passkey.hidden = !hasPasskeys
handlePasskeyButton(passkey, arrival, async response => {
  try {
    await post('/session/passkey', { response })
  } catch (error) {
    if (!(error instanceof GatehouseError && error.error === 'Not an operator')) throw error
    return showMessage(arrival, error.message)
  }
  await enter()
}, { getOptions: passkeyOptions })
addEventListener('pageshow', event => { if (event.persisted) location.reload() })
