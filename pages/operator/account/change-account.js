import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { showMessage } from '../../parts/notice.js'
import { fillZones } from '../../parts/time-zones.js'
import { changeConfirmed } from '../parts/confirm-identity.js'
import { can } from '../parts/api.js'
import { actionButton, element } from '../parts/entry.js'

/** @typedef {import('../accounts/accounts.js').Account} Account */

// The username before the name: a message about it has both words.
/** @type {Array<'username' | 'name' | 'email' | 'externalId' | 'language' | 'timeZone'>} */
const FIELDS = ['username', 'name', 'email', 'externalId', 'language', 'timeZone']

/** Which field a message is about. @param {string} message */
const fieldOf = message => message.includes('external id')
  ? 'externalId'
  : FIELDS.find(field => message.includes(field)) ?? 'email'

/** The dialog that changes what an account says about its user. @param {() => Promise<unknown>} reload */
export function handleChange (reload) {
  const dialog = byId('change-dialog', HTMLDialogElement)
  const form = byId('change-form', HTMLFormElement)
  /** @type {Account | undefined} */
  let user

  /** @param {string} name */
  const fieldNamed = name => /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name))

  /** @param {Account} account */
  function open (account) {
    form.reset()
    fillZones(byId('change-time-zone', HTMLSelectElement), account.timeZone, 'Not chosen')
    for (const name of FIELDS) fieldNamed(name).value = account[name] ?? ''
    fieldNamed('email').disabled = !can('users:email')
    fieldNamed('externalId').disabled = !can('users:data')
    dialog.showModal()
  }

  byId('change-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  handleForm(form, async fields => {
    if (!user) return
    const { id, ...before } = user
    const changed = FIELDS.filter(name => !fieldNamed(name).disabled && (fields[name] || null) !== before[name])
    if (changed.length === 0) return dialog.close()
    const body = Object.fromEntries(changed.map(name => [name, fields[name] || null]))
    const response = await changeConfirmed('PATCH', `/users/${id}`, body)
    if (!response) return
    const result = await response.json()
    dialog.close()
    await reload()
    const saved = result.changed.length > 0 ? ['The changes are saved.'] : []
    const asked = result.emailRequested ? [`A mail to ${result.emailRequested} asks to confirm the address.`] : []
    showMessage(byId('status', HTMLElement), [...saved, ...asked].join(' '), 'success')
  }, {
    400: ({ message }) => [fieldOf(message), message],
    409: ({ message }) => [fieldOf(message), message],
  })

  return {
    /** Adds the button to the actions. @param {Account} account @param {boolean} isOperator */
    show (account, isOperator) {
      user = account
      if (!can(isOperator ? 'operators:write' : 'users:write')) return
      const button = actionButton({ label: 'Change the profile', run: () => open(account) })
      byId('actions', HTMLElement).prepend(element('li', {}, button))
    },
  }
}
