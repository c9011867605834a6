// @ts-check

/** Lets people see what they typed. Password managers and the browser see a password field again when it is sent. */
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
