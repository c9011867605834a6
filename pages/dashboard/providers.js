import { isBusy, setBusy } from '../parts/busy.js'
import { changeConfirmed } from './confirm-identity.js'
import { asGatehouseError, messageFor } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { ask } from '../parts/question.js'
import { texts } from '../parts/texts.js'

const { providers: words } = texts
const notice = document.getElementById('providers-notice')
const items = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#providers li'))

/** @typedef {{ provider: string, email: string | null }} Identity */

/** @param {Identity[]} identities */
export function showProviders (identities) {
  for (const item of items) {
    const identity = identities.find(({ provider }) => provider === item.dataset.provider)
    for (const part of item.querySelectorAll('[data-connected]')) {
      part.toggleAttribute('hidden', part.getAttribute('data-connected') !== String(Boolean(identity)))
    }
    const email = item.querySelector('[data-email]')
    if (email) email.textContent = identity?.email ?? ''
  }
}

/**
 * Never resolves on success, which keeps the button busy until the browser has left for the provider.
 * @param {string} path
 */
async function connect (path) {
  const response = await changeConfirmed('POST', `${path}/connect`)
  if (!response) return
  location.assign((await response.json()).location)
  return new Promise(() => {})
}

/** @param {string} path @param {string} name */
async function disconnect (path, name) {
  const lead = words.disconnectLead
  if (!await ask({ title: words.disconnectQuestion(name), lead, agree: words.disconnect })) return
  if (!await changeConfirmed('DELETE', path)) return
  return words.disconnected(name)
}

/** What became of the way to a provider and back. The address keeps no trace of it. */
function showOutcome () {
  const query = new URLSearchParams(location.search)
  const name = [...items].find(({ dataset }) => dataset.provider === query.get('provider'))?.dataset.name
  const outcome = query.get('outcome')
  if (!notice || !name || !outcome) return
  for (const key of ['provider', 'outcome']) query.delete(key)
  history.replaceState(null, '', `${location.pathname}${query.size > 0 ? `?${query}` : ''}${location.hash}`)
  if (outcome === 'connected') showMessage(notice, words.connected(name), 'success')
  else showMessage(notice, outcome === 'taken' ? words.taken(name) : words.failed(name))
}

/** @param {() => Promise<void>} reload */
export function handleProviders (reload) {
  showOutcome()
  addEventListener('pageshow', () => {
    for (const item of items) for (const button of item.querySelectorAll('button')) setBusy(button, false)
  })
  for (const item of items) {
    const { provider, name = '' } = item.dataset
    const path = `/api/auth/providers/${provider}`
    for (const button of item.querySelectorAll('button')) {
      const act = button.dataset.connected === 'true' ? () => disconnect(path, name) : () => connect(path)
      button.addEventListener('click', () => run(button, act, reload))
    }
  }
}

/** @param {HTMLButtonElement} button @param {() => Promise<string | void>} act @param {() => Promise<void>} reload */
async function run (button, act, reload) {
  if (!notice || isBusy(button)) return
  setBusy(button, true)
  showMessage(notice, '')
  try {
    const message = await act()
    await reload()
    if (message) showMessage(notice, message, 'success')
  } catch (error) {
    const { status } = asGatehouseError(error)
    showMessage(notice, status === 409 ? words.conflict : messageFor(status))
  }
  setBusy(button, false)
  // The button that had the keyboard focus may be hidden now.
  if (button.hidden) document.getElementById('providers-title')?.focus()
}
