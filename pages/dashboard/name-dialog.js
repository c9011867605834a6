import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'

const dialog = byId('name-dialog', HTMLDialogElement)
const form = byId('name-form', HTMLFormElement)
const input = byId('passkey-name', HTMLInputElement)

byId('name-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close(''))
handleForm(form, async ({ name = '' }) => dialog.close(name.trim()))

/** Resolves to the name, or to an empty string if the user cancels. @param {string} title @param {string} name */
export function askForName (title, name) {
  byId('name-title', HTMLElement).textContent = title
  form.reset()
  input.value = name
  dialog.returnValue = ''
  dialog.showModal()
  input.select()
  return new Promise(/** @param {(name: string) => void} resolve */ resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true })
  })
}
