import { byId } from '../../parts/elements.js'
import { handleForm } from '../../parts/form.js'
import { can } from '../parts/api.js'
import { changeConfirmed } from '../parts/confirm-identity.js'

/** Also where `crypto.randomUUID` is missing: without https. */
const randomKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16)).join('-')

const dialog = byId('new-dialog', HTMLDialogElement)
const form = byId('new-form', HTMLFormElement)
const way = byId('new-way', HTMLSelectElement)

/** Only the fields that this way needs. Those that are disabled are not sent. */
function showFields () {
  for (const part of form.querySelectorAll('[data-way]')) {
    const isNeeded = part.getAttribute('data-way')?.split(' ').includes(way.value)
    part.toggleAttribute('hidden', !isNeeded)
    for (const input of part.querySelectorAll('input')) input.disabled = !isNeeded
  }
  byId('new-submit', HTMLButtonElement).textContent = way.value === 'invite' ? 'Create and invite' : 'Create'
}

/** The dialog that creates an account: with an invitation, a password or a hash. */
export function handleNewAccount () {
  // One for each account: if the response is lost, sending the form again creates nothing twice.
  let key = ''

  byId('new-account', HTMLButtonElement).addEventListener('click', () => {
    form.reset()
    for (const part of form.querySelectorAll('[data-needs]')) {
      part.toggleAttribute('hidden', !can(part.getAttribute('data-needs') ?? ''))
    }
    showFields()
    dialog.showModal()
  })
  byId('new-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close())
  way.addEventListener('change', () => {
    showFields()
    form.querySelector('[data-way]:not([hidden]) [required]')?.scrollIntoView({ block: 'nearest' })
  })
  // Another account is another request.
  form.addEventListener('input', () => { key = '' })
  handleForm(form, async ({ emailVerified, ...fields }) => {
    key ||= randomKey()
    const body = { ...fields, ...(emailVerified && { emailVerified: true }) }
    const response = await changeConfirmed('POST', '/users', body, { 'idempotency-key': key })
    if (!response) return
    const { user } = await response.json()
    location.assign(`/operator/accounts/${encodeURIComponent(user.id)}`)
    await new Promise(() => {})
  }, {
    400: ({ message }) => /hash/i.test(message) ? ['passwordHash', message] : message,
    422: ({ message, errors }) => ['password', errors?.join('. ') ?? message],
    409: ({ message }) => {
      key = ''
      const field = ['email', 'external id'].find(name => message.includes(name)) ?? 'username'
      return [field === 'external id' ? 'externalId' : field, message]
    },
  })
}
