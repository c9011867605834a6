import { byId } from './elements.js'

/**
 * The field of mail-code.eta. A code that is complete, typed or pasted, is sent at once.
 * @param {string} [id]
 */
export function handleMailCode (id = 'mail-code') {
  const input = byId(id, HTMLInputElement)
  input.addEventListener('input', () => {
    const digits = input.value.replace(/\D/g, '').slice(0, 6)
    if (digits !== input.value) input.value = digits
    if (digits.length === 6) input.form?.requestSubmit()
  })
  return input
}
