import { setBusy } from '../../parts/busy.js'
import { byId } from '../../parts/elements.js'
import { asGatehouseError, messageFor } from '../../parts/form.js'
import { showMessage } from '../../parts/notice.js'
import { can, change, leave, readSession } from './api.js'
import { handleMenu } from './menu.js'

/** The message of a failed request. The API says what is wrong, and operators can read it. @param {unknown} error */
export function problemOf (error) {
  const { status, message } = asGatehouseError(error)
  return [400, 403, 404, 409, 429].includes(status) ? message : messageFor(status)
}

async function signOut () {
  const button = byId('sign-out', HTMLButtonElement)
  setBusy(button, true)
  await change('DELETE', '/session')
  await leave('signed-out')
}

/**
 * Loads what the page shows, for the signed-in operator. Others see the sign-in page.
 * @param {() => Promise<unknown>} load
 */
export async function openPage (load) {
  const status = byId('status', HTMLElement)
  const fail = (/** @type {unknown} */ error) => showMessage(status, problemOf(error))
  handleMenu()
  byId('sign-out', HTMLButtonElement).addEventListener('click', () => signOut().catch(fail))
  const main = byId('main', HTMLElement)
  async function open () {
    const { username, role } = await readSession()
    byId('operator-name', HTMLElement).textContent = role === 'administrator' ? username : `${username}\n${role}`
    for (const part of main.querySelectorAll('[data-right]')) {
      part.toggleAttribute('data-allowed', can(part.getAttribute('data-right') ?? ''))
    }
    await load()
    for (const part of [main, ...main.querySelectorAll('.waiting')]) part.classList.remove('waiting')
  }
  // A page from the history of the browser may show what the operator may not see any more.
  addEventListener('pagehide', () => main.classList.add('waiting'))
  addEventListener('pageshow', event => { if (event.persisted) open().catch(() => location.reload()) })
  await open().catch(fail)
}
