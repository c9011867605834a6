import { change, read } from '../parts/api.js'
import { isBusy, setBusy } from '../parts/busy.js'
import { fillTimes } from '../parts/dates.js'
import { byId, cloneTemplate } from '../parts/elements.js'
import { asGatehouseError, messageFor } from '../parts/form.js'
import { isolate } from '../parts/isolate.js'
import { showMessage } from '../parts/notice.js'
import { ask } from '../parts/question.js'
import { resourceInWords, scopesInWords } from '../parts/scopes.js'
import { offerApplications } from './sections.js'
import { texts } from '../parts/texts.js'

const { applications: { disconnectLead: lead }, providers: words } = texts
const notice = byId('applications-notice', HTMLElement)

/**
 * @typedef {object} Application
 * @property {string} id
 * @property {string} name
 * @property {string} host
 * @property {string[]} scopes
 * @property {import('../parts/scopes.js').Resource[]} resources
 * @property {string} connectedAt
 * @property {string | null} lastUsedAt
 * @property {boolean} unverified
 */

/** @param {Application} application @param {() => Promise<void>} reload */
function createItem ({ id, name, host, scopes, resources, connectedAt, lastUsedAt, unverified }, reload) {
  const gets = [...scopesInWords(scopes), ...resources.map(resourceInWords)].map(isolate).join(' · ')
  const item = cloneTemplate('application', { name, host, scopes: gets })
  fillTimes(item, connectedAt, 'since')
  fillTimes(item, lastUsedAt ?? connectedAt, 'last')
  item.querySelector('[data-used]')?.toggleAttribute('hidden', !lastUsedAt)
  item.querySelector('[data-unverified]')?.toggleAttribute('hidden', !unverified)
  const button = /** @type {HTMLButtonElement} */ (item.querySelector('button'))
  button.setAttribute('aria-label', words.disconnectFrom(name))
  button.addEventListener('click', () => disconnect(button, { id, name }, reload))
  return item
}

/** @param {HTMLButtonElement} button @param {{ id: string, name: string }} of @param {() => Promise<void>} reload */
async function disconnect (button, { id, name }, reload) {
  if (isBusy(button)) return
  if (!await ask({ title: words.disconnectQuestion(name), lead, agree: words.disconnect })) return
  setBusy(button, true)
  showMessage(notice, '')
  try {
    await change('DELETE', `/api/auth/applications/${id}`)
    showMessage(notice, words.disconnected(name), 'success')
    // The button that had the keyboard focus is removed.
    byId('applications-title', HTMLElement).focus()
  } catch (error) {
    showMessage(notice, messageFor(asGatehouseError(error).status))
  }
  setBusy(button, false)
  await reload()
}

/** None if they cannot be read: the other parts do not depend on them. @returns {Promise<Application[]>} */
export async function readApplications () {
  try {
    return (await read('/api/auth/applications')).applications
  } catch (error) {
    asGatehouseError(error)
    return []
  }
}

/**
 * With `OPENID=off`, the link to them appears if one is connected, or if the address names them.
 * @param {Application[]} applications
 * @param {() => Promise<void>} reload Also of the devices.
 */
export function showApplications (applications, reload) {
  byId('applications', HTMLElement).replaceChildren(...applications.map(each => createItem(each, reload)))
  byId('no-applications', HTMLElement).hidden = applications.length > 0
  if (applications.length > 0) offerApplications()
}
