import { change } from '../parts/api.js'
import { fillTimes } from '../parts/dates.js'
import { byId, cloneTemplate } from '../parts/elements.js'
import { asGatehouseError, messageFor } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { texts } from '../parts/texts.js'

/**
 * @typedef {object} Session
 * @property {string} id
 * @property {string | null} ip
 * @property {string} device
 * @property {{ id: string, name: string } | null} [application]
 * @property {boolean} bound
 * @property {string} firstUsedAt
 * @property {string} lastUsedAt
 * @property {boolean} current
 */

/** @param {Session[]} sessions */
export function showDevices (sessions) {
  const ordered = sessions.toSorted((a, b) => Number(b.current) - Number(a.current))
  byId('devices', HTMLElement).replaceChildren(...ordered.map(createItem))
  const alone = sessions.every(({ current }) => current)
  byId('end-others', HTMLElement).hidden = alone
  byId('only-this', HTMLElement).hidden = !alone
}

/** @param {Session} session */
function createItem ({ id, ip, device, application, bound, firstUsedAt, lastUsedAt, current }) {
  const name = application?.name ?? texts.device(device)
  const item = cloneTemplate('device', { device: name, ip: ip ?? '' })
  fillTimes(item, firstUsedAt, 'first')
  fillTimes(item, lastUsedAt, 'last')
  item.toggleAttribute('data-current', current)
  item.toggleAttribute('data-phone', !application && /Android|iOS|iPad|iPhone/.test(device))
  const button = /** @type {HTMLButtonElement} */ (item.querySelector('button'))
  Object.assign(button.dataset, { id, name })
  button.setAttribute('aria-label', texts.dashboard.endDevice(name))
  button.hidden = current
  item.querySelector('.badge')?.toggleAttribute('hidden', !current)
  item.querySelector('.bound')?.toggleAttribute('hidden', !bound)
  return item
}

/** @param {() => Promise<void>} reload */
export function handleDevices (reload) {
  const status = byId('status', HTMLElement)
  const list = byId('devices', HTMLElement)

  /** @param {HTMLButtonElement} button @param {string} path @param {string} message */
  async function end (button, path, message) {
    if (button.getAttribute('aria-busy') === 'true') return
    button.setAttribute('aria-busy', 'true')
    try {
      await change('DELETE', path)
      await reload()
      showMessage(status, message, 'success')
      // The button that had the keyboard focus has been removed.
      list.focus()
    } catch (error) {
      showMessage(status, messageFor(asGatehouseError(error).status))
      await reload()
    } finally {
      button.setAttribute('aria-busy', 'false')
    }
  }

  list.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest('button')
    if (button) end(button, `/api/auth/sessions/${button.dataset.id}`, texts.dashboard.ended(button.dataset.name ?? ''))
  })
  const others = byId('end-others', HTMLButtonElement)
  others.addEventListener('click', () => end(others, '/api/auth/sessions', texts.dashboard.othersEnded))
}
