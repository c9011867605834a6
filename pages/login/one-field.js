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
  const isAway = () => field.hasAttribute('data-away')
  if (!isAway()) return () => false
  const submit = /** @type {HTMLButtonElement} */ (form.querySelector('button[type=submit]'))
  const byMail = byId('use-mail', HTMLAnchorElement)
  const inside = /** @type {NodeListOf<HTMLElement>} */ (field.querySelectorAll('input, button, a'))
  for (const each of inside) each.tabIndex = -1
  password.required = false

  function show () {
    field.removeAttribute('data-away')
    field.removeAttribute('aria-hidden')
    for (const each of inside) each.removeAttribute('tabindex')
    byMail.hidden = false
    password.required = true
    submit.textContent = texts.login.submit
  }

  // A password manager fills in both, perhaps before this script runs.
  const showIfFilled = () => { if (isAway() && password.value) show() }
  password.addEventListener('input', showIfFilled)
  showIfFilled()

  return function showWays () {
    if (!isAway() || password.value) return false
    show()
    const first = wasByMail() ? byMail : password
    first.focus()
    return true
  }
}
