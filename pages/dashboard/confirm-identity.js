import { change, gatehouse } from '../parts/api.js'
import { GatehouseError } from '../client.js'
import { handleCodeField } from '../parts/code-field.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { pathBack } from './go-on.js'
import { showMessage } from '../parts/notice.js'
import { handlePasskeyButton } from '../parts/passkey-button.js'
import { cancelPasskey, hasPasskeys } from '../parts/passkeys.js'
import { texts } from '../parts/texts.js'

const dialog = byId('confirm-dialog', HTMLDialogElement)
const form = byId('confirm-form', HTMLFormElement)
const password = byId('confirm-password', HTMLInputElement)
const passkey = byId('confirm-passkey', HTMLButtonElement)
const submit = byId('confirm-submit', HTMLButtonElement)
const notice = /** @type {HTMLElement} */ (form.querySelector('[role=alert]'))
const field = handleCodeField()

/**
 * Resolves to whether the user confirmed their identity. A provider leads back to where the request begins.
 * @param {string[]} methods @param {string} request Its path. @returns {Promise<boolean>}
 */
function confirmIdentity (methods, request) {
  form.reset()
  const needsCode = field.offer(methods)
  const needsPassword = methods.includes('password')
  password.required = needsPassword
  password.closest('.field')?.toggleAttribute('hidden', !needsPassword)
  const needsPasskey = methods.includes('passkey')
  passkey.hidden = !needsPasskey || !hasPasskeys
  // A disabled button also keeps the Enter key from sending the form.
  submit.hidden = submit.disabled = !needsCode && !needsPassword
  passkey.classList.toggle('primary', submit.hidden)
  showMessage(notice, needsPasskey && !hasPasskeys && submit.hidden ? texts.passkeys.unsupported : '')
  for (const link of form.querySelectorAll('a')) {
    link.hidden = !methods.includes(link.dataset.method ?? '')
    link.search = String(new URLSearchParams({ confirm: 'true', next: pathBack(request) }))
  }
  dialog.returnValue = ''
  dialog.showModal()
  if (submit.hidden) passkey.focus()
  else (needsCode ? field.input : password).focus()
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'confirmed'), { once: true })
  })
}

for (const link of form.querySelectorAll('a')) link.addEventListener('click', gatehouse.prepareProof)
byId('confirm-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
dialog.addEventListener('close', cancelPasskey)
handlePasskeyButton(passkey, notice, async response => {
  await gatehouse.confirm({ passkey: response })
  dialog.close('confirmed')
})
handleForm(form, async ({ password, code }) => {
  await gatehouse.confirm(code ? { code } : { password: password ?? '' })
  dialog.close('confirmed')
}, {
  403: ({ error }) => error === 'Invalid code'
    ? ['code', field.wrong()]
    : ['password', texts.dashboard.wrongPassword],
})

/**
 * Sends a request as the signed-in user, who first confirms their identity if the service asks for it.
 * Resolves to undefined if they cancel.
 * @param {string} method @param {string} path @param {unknown} [body]
 */
export async function changeConfirmed (method, path, body) {
  try {
    return await change(method, path, body)
  } catch (error) {
    if (!(error instanceof GatehouseError && error.error === 'Confirm it is you')) throw error
    return await confirmIdentity(error.methods, path) ? change(method, path, body) : undefined
  }
}
