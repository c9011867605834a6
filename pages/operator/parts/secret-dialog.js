import { byId } from '../../parts/elements.js'

/** Shows a secret until the dialog is closed. @param {string} secret @returns {Promise<void>} */
export function showSecret (secret) {
  const dialog = byId('secret-dialog', HTMLDialogElement)
  const place = byId('secret', HTMLElement)
  place.textContent = secret
  byId('secret-kept', HTMLButtonElement).onclick = () => dialog.close()
  dialog.showModal()
  return new Promise(resolve => {
    dialog.addEventListener('close', () => {
      place.textContent = ''
      resolve()
    }, { once: true })
  })
}
