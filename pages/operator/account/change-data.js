import { GatehouseError } from '../../client.js'
import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { showMessage } from '../../parts/notice.js'
import { can, get } from '../parts/api.js'
import { changeConfirmed } from '../parts/confirm-identity.js'

/** @param {string} text */
function requireObject (text) {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  } catch {}
  throw new GatehouseError(400, { message: 'This is not a JSON object.' })
}

/** The dialog that replaces the data of applications. @param {string} id @param {() => Promise<unknown>} reload */
export function handleDataChange (id, reload) {
  const dialog = byId('data-dialog', HTMLDialogElement)
  const field = byId('new-data', HTMLTextAreaElement)
  const button = byId('change-data', HTMLButtonElement)
  let tag = ''

  button.addEventListener('click', async () => {
    const response = await get(`/users/${id}/data`)
    tag = response.headers.get('etag') ?? ''
    field.value = JSON.stringify(await response.json(), undefined, 2)
    dialog.showModal()
  })
  byId('data-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  handleForm(byId('data-form', HTMLFormElement), async ({ data = '{}' }) => {
    requireObject(data)
    // As it was typed: the service refuses a member twice, of which only the last one would be sent.
    const response = await changeConfirmed('PUT', `/users/${id}/data`, data, { 'if-match': tag })
    if (!response) return
    dialog.close()
    await reload()
    showMessage(byId('status', HTMLElement), 'The data is saved.', 'success')
  }, {
    400: ({ message }) => message,
    412: 'The data has changed meanwhile. Copy your text, close this, and change it again.',
  })

  /** @param {boolean} isOperator */
  return function offerDataChange (isOperator) {
    button.hidden = !can('users:data') || (isOperator && !can('operators:write'))
  }
}
