import { isBusy, setBusy } from './busy.js'
import { GatehouseError } from '../client.js'
import { firstInvalid, markField, unmark } from './fields.js'
import { showMessage, showWait } from './notice.js'
import { texts } from './texts.js'

/**
 * The message for a status: for one named field, or for the whole form, and then the field to go on with.
 * @typedef {string | [field: string, message: string] | { parts: Array<string | Node>, goOnWith: string }} Message
 * @typedef {Record<number, Message | ((error: GatehouseError) => Message)>} Messages
 */

/**
 * Validates and sends a form, one request at a time, and shows errors at the form or at the field concerned.
 * @param {HTMLFormElement} form
 * @param {(fields: Record<string, string>) => Promise<unknown>} send
 * @param {Messages} [messages]
 */
export function handleForm (form, send, messages = {}) {
  const notice = /** @type {HTMLElement} */ (form.querySelector('[role=alert]'))
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button[type=submit]'))
  form.noValidate = true
  // The HTML disables the button, so that the browser cannot submit the form before this script handles it.
  button.disabled = false

  form.addEventListener('input', ({ target }) => { if (target instanceof HTMLInputElement) unmark(target) })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (isBusy(button)) return
    showMessage(notice, '')
    for (const input of form.querySelectorAll('input')) unmark(input)
    const invalid = firstInvalid(form)
    if (invalid) return invalid.focus()

    setBusy(button, true)
    try {
      await send(fieldsOf(form))
      setBusy(button, false)
    } catch (error) {
      await showError(asGatehouseError(error))
    }
  })

  /** @param {string} name */
  const inputNamed = name => /** @type {HTMLInputElement} */ (form.elements.namedItem(name))

  /** @param {GatehouseError} error */
  async function showError (error) {
    if (error.status === 429) {
      setBusy(button, true, false)
      await showWait(notice, error.retryAfter ?? 60)
      return setBusy(button, false)
    }
    setBusy(button, false)
    const known = refusalOf(error) ?? messages[error.status] ?? messageFor(error.status)
    const message = typeof known === 'function' ? known(error) : known
    if (Array.isArray(message)) return markField(inputNamed(message[0]), message[1]).focus()
    if (typeof message === 'string') {
      showMessage(notice, message)
      return /** @type {HTMLInputElement | null} */ (form.querySelector('input:not([hidden])'))?.focus()
    }
    notice.append(...message.parts)
    const input = inputNamed(message.goOnWith)
    input.focus()
    // The first key replaces what was wrong.
    input.select()
  }
}

/** Any other error is a bug in these scripts, and is also reported to the console. @param {unknown} error */
export function asGatehouseError (error) {
  if (error instanceof GatehouseError) return error
  reportError(error)
  return new GatehouseError(-1, {})
}

/** What the service says if the application gave no message. */
const NO_MESSAGE = 'The application does not allow this.'

/** The message of the application, if it refused. @param {GatehouseError} error */
export function refusalOf ({ error, message }) {
  if (error !== 'Refused by the application') return undefined
  return message === NO_MESSAGE ? texts.error.refused.lead : message
}

/** @param {number} status */
export function messageFor (status) {
  if (status === 0) return texts.failure.offline
  return /** @type {Record<number, string>} */ (texts.failure)[status] ?? texts.failure.unexpected
}

/** Empty fields are not sent. @param {HTMLFormElement} form @returns {Record<string, string>} */
function fieldsOf (form) {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)])
  return Object.fromEntries(fields.filter(([, value]) => value !== ''))
}
