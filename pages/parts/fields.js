import { texts } from './texts.js'

/** @param {HTMLInputElement} input */
function validationMessage ({ validity, type, name }) {
  if (validity.valueMissing) return texts.field.missing
  if (type === 'email') return texts.field.email
  return name === 'username' ? texts.field.username : texts.field.other
}

/** Marks all invalid fields in the page's language, and returns the first. @param {HTMLFormElement} form */
export function firstInvalid (form) {
  const invalid = [...form.querySelectorAll('input')].filter(input => !input.validity.valid)
  return invalid.map(input => markField(input, validationMessage(input)))[0]
}

/** @param {HTMLInputElement} input @param {boolean} shown */
function showHint ({ dataset: { hint = '' } }, shown) {
  document.getElementById(hint)?.toggleAttribute('hidden', !shown)
}

/** @param {HTMLInputElement} input @param {string} message */
export function markField (input, message) {
  const complaint = document.createElement('p')
  complaint.id = `${input.id}-complaint`
  complaint.className = 'complaint'
  complaint.textContent = message
  // Next to the field, before hints and rules that may be long.
  const field = input.closest('.reveal, .digits') ?? input
  field.after(complaint)
  input.setAttribute('aria-invalid', 'true')
  // This message says all that the hint says.
  const hasHint = message !== texts.field.username
  showHint(input, hasHint)
  input.setAttribute('aria-describedby', [complaint.id, hasHint && input.dataset.hint].filter(Boolean).join(' '))
  return input
}

/** @param {HTMLInputElement} input */
export function unmark (input) {
  document.getElementById(`${input.id}-complaint`)?.remove()
  showHint(input, true)
  input.removeAttribute('aria-invalid')
  if (input.dataset.hint) input.setAttribute('aria-describedby', input.dataset.hint)
  else input.removeAttribute('aria-describedby')
}
