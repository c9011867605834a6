import { gatehouse } from '../parts/api.js'
import { GatehouseError } from '../client.js'
import { handleCodeField } from '../parts/code-field.js'
import { byId, showPart } from '../parts/elements.js'
import { handleForm, refusalOf } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { handlePasskeyButton } from '../parts/passkey-button.js'
import { cancelPasskey, hasPasskeys, stopAutofill } from '../parts/passkeys.js'
import { texts } from '../parts/texts.js'

/**
 * The second step of a login. The result shows it, and returns whether one of the methods can be asked for.
 * @param {{ onSignedIn: () => Promise<unknown>, onStartAgain: (message: string) => void }} listeners
 */
export function handleSecondStep ({ onSignedIn, onStartAgain }) {
  const form = byId('second-step', HTMLFormElement)
  const field = handleCodeField()
  const passkey = byId('second-passkey', HTMLButtonElement)
  const submit = byId('second-submit', HTMLButtonElement)
  const notice = /** @type {HTMLElement} */ (form.querySelector('[role=alert]'))
  const startAgain = byId('start-again', HTMLButtonElement)
  startAgain.addEventListener('click', () => {
    cancelPasskey()
    onStartAgain('')
  })

  /** @param {() => Promise<unknown>} finish */
  async function finishSignIn (finish) {
    try {
      await finish()
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error
      const isOver = error.error === 'Login expired'
      // The step is over, too, if the application refused.
      const message = isOver ? texts.secondStep.over : refusalOf(error)
      if (!message) throw error
      return onStartAgain(message)
    }
    await onSignedIn()
  }

  handleForm(form, ({ code = '', remember }) =>
    finishSignIn(() => gatehouse.signInWithCode(code, { remember: remember === 'on' })),
  { 401: () => ['code', field.wrong()] })

  handlePasskeyButton(passkey, notice, response =>
    finishSignIn(() => gatehouse.finishWithPasskey(response, { remember: new FormData(form).has('remember') })))

  /** @param {string} name */
  function nameAccount (name) {
    for (const shown of form.querySelectorAll('#second-account bdi')) shown.textContent = name
    const forPasswordManagers = form.querySelector('input[autocomplete=username]')
    if (forPasswordManagers instanceof HTMLInputElement) forPasswordManagers.value = name
  }

  /** After a provider, only the service knows the account. */
  async function findAccount () {
    const response = await fetch('/login/second-factor').catch(() => undefined)
    if (response?.status === 401) onStartAgain(texts.secondStep.over)
    else if (response?.ok) nameAccount((await response.json()).username)
  }

  /** @param {string[]} methods @param {() => void} [onRecovery] */
  function offer (methods, onRecovery) {
    const asksForCode = field.offer(methods, onRecovery)
    const asksForPasskey = methods.includes('passkey')
    if (!asksForCode && !asksForPasskey) return false
    passkey.hidden = !asksForPasskey || !hasPasskeys
    // A disabled button also keeps the Enter key from sending the form.
    submit.hidden = submit.disabled = !asksForCode
    passkey.classList.toggle('main', submit.hidden)
    byId('passkey-lead', HTMLElement).hidden = asksForCode || !hasPasskeys
    showMessage(notice, asksForCode || hasPasskeys ? '' : texts.passkeys.unsupported)
    showPart('second-step')
    if (asksForCode) field.input.focus()
    else (hasPasskeys ? passkey : startAgain).focus()
    return true
  }

  /** `account`: as the user typed it. */
  return function askForSecondFactor (/** @type {string[]} */ methods, /** @type {string} */ account = '') {
    if (!offer(methods, () => offer(methods))) return false
    stopAutofill()
    nameAccount(account)
    if (!account) findAccount()
    return true
  }
}
