import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { showMessage } from '../../parts/notice.js'
import { changeConfirmed } from '../parts/confirm-identity.js'
import { actionButton, element } from '../parts/entry.js'

/** @typedef {import('../accounts/accounts.js').Account} Account */

/** @type {Array<'name' | 'username' | 'email' | 'externalId' | 'language' | 'timeZone'>} */
const FIELDS = ['name', 'username', 'email', 'externalId', 'language', 'timeZone']

/** Which field a message is about, by its words. @param {string} message */
const fieldOf = message => FIELDS.find(field =>
  message.includes(field) || message.includes(field.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)))

/** The dialog that changes what an account says about its user. @param {() => Promise<unknown>} reload */
export function handleChange (reload) {
  const dialog = byId('change-dialog', HTMLDialogElement)
  const form = byId('change-form', HTMLFormElement)
  /** @type {Account | undefined} */
  let user
  const input = (/** @type {string} */ name) => byId(`change-${name}`, HTMLInputElement)

  byId('change-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  handleForm(form, async fields => {
    if (!user) return
    const { id, ...before } = user
    const changed = FIELDS.filter(name => (fields[name] ?? null) !== before[name])
    if (changed.length === 0) return dialog.close()
    const body = Object.fromEntries(changed.map(name => [name, fields[name] ?? null]))
    const response = await changeConfirmed('PATCH', `/users/${id}`, body)
    if (!response) return
    const { emailRequested } = await response.json()
    dialog.close()
    await reload()
    const asked = emailRequested ? ` A mail to ${emailRequested} asks to confirm the address.` : ''
    showMessage(byId('status', HTMLElement), `The changes are saved.${asked}`, 'success')
  }, {
    400: ({ message }) => [fieldOf(message) ?? 'name', message],
    409: ({ message }) => [fieldOf(message) ?? 'email', message],
  })

  return {
    /** Adds the button to the actions. @param {Account} account */
    show (account) {
      user = account
      const button = actionButton({
        label: 'Change',
        run () {
          form.reset()
          for (const name of FIELDS) input(name).value = account[name] ?? ''
          dialog.showModal()
        },
      })
      byId('actions', HTMLElement).prepend(element('li', {}, button))
    },
  }
}
