import { GatehouseError } from '../../client.js'
import { handleCodeField } from '../../parts/code-field.js'
import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { showMessage } from '../../parts/notice.js'
import { handlePasskeyButton } from '../../parts/passkey-button.js'
import { cancelPasskey, hasPasskeys } from '../../parts/passkeys.js'
import { texts } from '../../parts/texts.js'
import { change, passkeyOptions } from './api.js'

const dialog = byId('confirm-dialog', HTMLDialogElement)
const form = byId('confirm-form', HTMLFormElement)
const passkey = byId('confirm-passkey', HTMLButtonElement)
const submit = byId('confirm-submit', HTMLButtonElement)
const notice = /** @type {HTMLElement} */ (form.querySelector('[role=alert]'))
const field = handleCodeField()

/** Resolves to whether the operator confirmed it. @param {string[]} methods @returns {Promise<boolean>} */
function confirmIdentity (methods) {
  form.reset()
  const needsCode = field.offer(methods)
  const canUsePasskey = methods.includes('passkey') && hasPasskeys
  passkey.hidden = !canUsePasskey
  // A disabled button also keeps the Enter key from sending the form.
  submit.hidden = submit.disabled = !needsCode
  passkey.classList.toggle('primary', submit.hidden)
  showMessage(notice, needsCode || canUsePasskey ? '' : texts.passkeys.unsupported)
  dialog.returnValue = ''
  dialog.showModal()
  if (needsCode) field.input.focus()
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'confirmed'), { once: true })
  })
}

byId('confirm-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
dialog.addEventListener('close', cancelPasskey)
handlePasskeyButton(passkey, notice, async response => {
  await change('POST', '/session/confirm', { passkey: response })
  dialog.close('confirmed')
}, { getOptions: passkeyOptions })
handleForm(form, async ({ code = '' }) => {
  await change('POST', '/session/confirm', { code })
  dialog.close('confirmed')
}, { 403: () => ['code', field.wrong()] })

/**
 * Changes something as the operator, who first confirms their identity if the service asks for it.
 * Resolves to undefined if they cancel.
 * @param {Parameters<typeof change>} request
 */
export async function changeConfirmed (...request) {
  try {
    return await change(...request)
  } catch (error) {
    if (!(error instanceof GatehouseError && error.error === 'Confirm it is you')) throw error
    return await confirmIdentity(error.methods) ? change(...request) : undefined
  }
}
