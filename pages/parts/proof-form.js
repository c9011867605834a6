import { change, gatehouse } from './api.js'
import { handleCodeField } from './code-field.js'
import { byId } from './elements.js'
import { asGatehouseError, handleForm, messageFor } from './form.js'
import { showMessage } from './notice.js'
import { handlePasskeyButton } from './passkey-button.js'
import { hasPasskeys } from './passkeys.js'
import { texts } from './texts.js'

/**
 * The form of proof-fields.eta, with which a signed-in user proves who they are. The result offers the methods of the
 * account: a provider leads back to `next`.
 * @param {() => unknown} onProved
 */
export function handleProofForm (onProved) {
  const form = byId('confirm-form', HTMLFormElement)
  const password = byId('confirm-password', HTMLInputElement)
  const passkey = byId('confirm-passkey', HTMLButtonElement)
  const submit = byId('confirm-submit', HTMLButtonElement)
  const notice = /** @type {HTMLElement} */ (form.querySelector('[role=alert]'))
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (form.querySelectorAll('a[data-method]'))
  const field = handleCodeField()
  const mail = byId('confirm-mail', HTMLButtonElement)

  for (const link of links) link.addEventListener('click', gatehouse.prepareProof)
  mail.addEventListener('click', async () => {
    try {
      await change('POST', '/api/auth/reauthenticate/mail')
      mail.hidden = true
      field.offer(['mail'])
      submit.hidden = submit.disabled = false
      field.input.focus()
    } catch (error) {
      const { error: name, status } = asGatehouseError(error)
      showMessage(notice, name === 'Mail unavailable' ? texts['mail-sign-in'].unavailable : messageFor(status))
    }
  })
  handlePasskeyButton(passkey, notice, async response => {
    await gatehouse.confirm({ passkey: response })
    return onProved()
  })
  handleForm(form, async ({ password, code }) => {
    await gatehouse.confirm(code ? { code } : { password: password ?? '' })
    return onProved()
  }, {
    403: ({ error }) => error === 'Invalid code'
      ? ['code', field.wrong()]
      : ['password', texts.dashboard.wrongPassword],
  })

  /** The first thing to fill in or to click. */
  function focus () {
    const inputs = [field.input, password].filter(({ required }) => required)
    ;(inputs[0] ?? [mail, passkey].find(({ hidden }) => !hidden))?.focus()
  }

  /** @param {string[]} methods @param {string} next @param {() => void} [onRecovery] */
  function show (methods, next, onRecovery) {
    password.value = ''
    // The code of a mail is asked for once it is sent.
    const needsCode = field.offer(methods.filter(method => method !== 'mail'), onRecovery)
    mail.hidden = !methods.includes('mail')
    const needsPassword = methods.includes('password')
    password.required = needsPassword
    password.closest('.field')?.toggleAttribute('hidden', !needsPassword)
    const needsPasskey = methods.includes('passkey')
    passkey.hidden = !needsPasskey || !hasPasskeys
    // A disabled button also keeps the Enter key from sending the form.
    submit.hidden = submit.disabled = !needsCode && !needsPassword
    passkey.classList.toggle('primary', submit.hidden)
    showMessage(notice, needsPasskey && !hasPasskeys && submit.hidden ? texts.passkeys.unsupported : '')
    for (const link of links) {
      link.hidden = !methods.includes(link.dataset.method ?? '')
      link.search = String(new URLSearchParams({ confirm: 'true', next }))
    }
  }

  return {
    /** @param {string[]} methods @param {string} next */
    offer (methods, next) {
      show(methods, next, () => {
        show(methods, next)
        focus()
      })
    },

    focus,
  }
}
