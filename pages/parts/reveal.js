/** Shows and hides passwords. On submit, the field is a password field again, as password managers expect. */
export function handleReveal () {
  for (const button of document.querySelectorAll('[data-reveal]')) {
    const input = button.parentElement?.querySelector('input')
    if (!(button instanceof HTMLButtonElement) || !input) continue
    const reveal = (/** @type {boolean} */ shown) => {
      input.type = shown ? 'text' : 'password'
      button.setAttribute('aria-pressed', String(shown))
    }
    button.addEventListener('click', () => reveal(input.type === 'password'))
    input.form?.addEventListener('submit', () => reveal(false))
  }
}
