import { byId } from '../parts/elements.js'
import { wasByMail } from '../parts/last-way.js'
import { texts } from '../parts/texts.js'

/**
 * With sign-in by mail, the page begins with one field. The same ways follow for every name, so that nothing tells
 * whether there is such an account: the way that this browser used last has the focus. Returns a function for the
 * submission of the form, which says whether it was that of the first field.
 * @param {HTMLFormElement} form
 */
export function beginWithOneField (form) {
  const field = byId('password-field', HTMLElement)
  const password = byId('password', HTMLInputElement)
  if (!field.hidden) return () => false
  const submit = /** @type {HTMLButtonElement} */ (form.querySelector('button[type=submit]'))
  password.required = false

  return function showWays () {
    // A password manager may have filled it in.
    if (!field.hidden || password.value) return false
    const byMail = byId('use-mail', HTMLAnchorElement)
    field.hidden = byMail.hidden = false
    password.required = true
    submit.textContent = texts.login.submit
    const first = wasByMail() ? byMail : password
    first.focus()
    return true
  }
}
