import { gatehouse } from '../parts/api.js'
import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { handleForm } from '../parts/form.js'
import { texts } from '../parts/texts.js'

/** @param {() => void} done */
export function handleDeletion (done) {
  const dialog = byId('delete-dialog', HTMLDialogElement)
  const form = byId('delete-form', HTMLFormElement)
  const password = byId('delete-password', HTMLInputElement)

  byId('delete', HTMLButtonElement).addEventListener('click', () => {
    form.reset()
    password.required = !password.closest('[data-password]')?.hasAttribute('hidden')
    dialog.showModal()
  })
  byId('keep', HTMLButtonElement).addEventListener('click', () => dialog.close())

  handleForm(form, async ({ password }) => {
    if (!await changeConfirmed('DELETE', '/api/auth/me', { password })) return
    gatehouse.forget()
    dialog.close()
    done()
  }, { 403: ['password', texts.dashboard.wrongPassword] })
}
