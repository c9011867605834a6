import { byId } from '../parts/elements.js'
import { pathBack } from './go-on.js'
import { cancelPasskey } from '../parts/passkeys.js'
import { handleProofForm } from '../parts/proof-form.js'

const dialog = byId('confirm-dialog', HTMLDialogElement)
const proof = handleProofForm(() => dialog.close('confirmed'))

byId('confirm-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
dialog.addEventListener('close', cancelPasskey)

/**
 * Resolves to whether the user confirmed their identity. A provider leads back to where the request begins.
 * @param {string[]} methods @param {string} request Its path. @returns {Promise<boolean>}
 */
export function confirmIdentity (methods, request) {
  proof.offer(methods, pathBack(request))
  dialog.returnValue = ''
  dialog.showModal()
  proof.focus()
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'confirmed'), { once: true })
  })
}
