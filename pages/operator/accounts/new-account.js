import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { changeConfirmed } from '../parts/confirm-identity.js'

/** Also where `crypto.randomUUID` is missing: without https. */
const randomKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16)).join('-')

/** The dialog that creates an account and invites its owner. */
export function handleNewAccount () {
  const dialog = byId('new-dialog', HTMLDialogElement)
  const form = byId('new-form', HTMLFormElement)
  // One for each account: if the response is lost, sending the form again creates nothing twice.
  let key = ''

  byId('new-account', HTMLButtonElement).addEventListener('click', () => {
    form.reset()
    dialog.showModal()
  })
  byId('new-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  // Another account is another request.
  form.addEventListener('input', () => { key = '' })
  handleForm(form, async fields => {
    key ||= randomKey()
    const response = await changeConfirmed('POST', '/users', fields, { 'idempotency-key': key })
    if (!response) return
    const { user } = await response.json()
    location.assign(`/operator/accounts/${encodeURIComponent(user.id)}`)
    await new Promise(() => {})
  }, {
    400: ({ message }) => message,
    409: ({ message }) => {
      key = ''
      const field = ['email', 'external id'].find(name => message.includes(name)) ?? 'username'
      return [field === 'external id' ? 'externalId' : field, message]
    },
  })
}
