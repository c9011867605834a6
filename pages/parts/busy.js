/**
 * Uses `aria-disabled`, because `disabled` would remove the keyboard focus from the button.
 * @param {HTMLElement} button
 * @param {boolean} now
 * @param {boolean} [spinning]
 */
export function setBusy (button, now, spinning = now) {
  button.setAttribute('aria-disabled', String(now))
  button.setAttribute('aria-busy', String(spinning))
}

/** @param {HTMLElement} button */
export const isBusy = button => button.getAttribute('aria-disabled') === 'true'
