import { byId } from '../parts/elements.js'
import { unmark } from '../parts/fields.js'
import { showMessage } from '../parts/notice.js'

/** The button that opens the form. @param {HTMLFormElement} form */
const openerOf = form => /** @type {HTMLButtonElement} */ (document.querySelector(`[aria-controls="${form.id}"]`))

/** Opens a form, unless it is open, and focuses its first field. @param {HTMLFormElement} form */
export function openForm (form) {
  const opener = openerOf(form)
  if (form.hidden) opener.click()
}

/**
 * A form that a button opens in its place. The result closes it.
 * @param {string} id
 * @param {() => void} [onOpen]
 */
export function handleOpening (id, onOpen) {
  const form = byId(id, HTMLFormElement)
  const opener = openerOf(form)
  const inputs = () => [...form.querySelectorAll('input')]
  /** @returns {HTMLElement[]} */
  const fields = () => [...form.querySelectorAll(/** @type {'input'} */ ('input, select'))]

  /** @param {boolean} open */
  function show (open) {
    form.hidden = !open
    opener.hidden = open
    opener.setAttribute('aria-expanded', String(open))
  }

  function close () {
    form.reset()
    for (const input of inputs()) unmark(input)
    const notice = form.querySelector('[role=alert]')
    if (notice) showMessage(notice, '')
    show(false)
    opener.focus()
  }

  opener.addEventListener('click', () => {
    show(true)
    onOpen?.()
    fields().find(({ offsetParent }) => offsetParent)?.focus()
  })
  form.querySelector('[data-cancel]')?.addEventListener('click', close)
  return close
}
