import { byId } from '../../parts/elements.js'

/** On a narrow screen, the button opens and closes the menu. On a wide one, the menu is always there. */
export function handleMenu () {
  const button = byId('menu-button', HTMLButtonElement)
  const menu = byId('menu', HTMLElement)
  const show = (/** @type {boolean} */ isOpen) => button.setAttribute('aria-expanded', String(isOpen))
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') !== 'true'))
  addEventListener('keydown', event => {
    if (event.key !== 'Escape' || button.getAttribute('aria-expanded') !== 'true') return
    if (menu.contains(document.activeElement)) button.focus()
    show(false)
  })
}
