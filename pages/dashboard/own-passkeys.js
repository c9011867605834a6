import { change } from '../parts/api.js'
import { GatehouseError } from '../client.js'
import { changeConfirmed } from './confirm-identity.js'
import { fillTimes } from '../parts/dates.js'
import { byId, cloneTemplate } from '../parts/elements.js'
import { askForName } from './name-dialog.js'
import { signalUnknownPasskey } from './passkey-signals.js'
import { isCancelled } from '../parts/passkeys.js'
import { ask } from '../parts/question.js'
import { texts } from '../parts/texts.js'
import { startRegistration } from '../parts/webauthn.js'

/**
 * @typedef {object} Passkey
 * @property {string} id
 * @property {string} credentialId
 * @property {string} name
 * @property {string} createdAt
 * @property {string | null} lastUsedAt
 */

const { passkeys: words } = texts
const path = (id = '') => `/api/auth/factors/passkeys${id && `/${id}`}`

/** @param {import('@simplewebauthn/browser').RegistrationResponseJSON} response @param {string} name */
async function save (response, name) {
  try {
    await change('POST', path(), { response, name })
  } catch (error) {
    // The device has it already. After a lost connection, the service may have it too.
    if (error instanceof GatehouseError && [400, 409].includes(error.status)) await signalUnknownPasskey(response.id)
    throw error
  }
}

/** Each action resolves to a message, or to undefined if the user cancelled. */
export async function addPasskey () {
  const name = await askForName(words.nameTitle, words.defaultName)
  if (!name) return
  const options = await changeConfirmed('POST', path('options'))
  if (!options) return
  try {
    await save(await startRegistration({ optionsJSON: await options.json() }), name)
    return words.added(name)
  } catch (error) {
    if (!isCancelled(error)) throw error
  }
}

/** @param {Passkey} passkey */
async function rename ({ id, name }) {
  const chosen = await askForName(words.nameTitle, name)
  if (!chosen || !await changeConfirmed('PATCH', path(id), { name: chosen })) return
  return words.renamed(chosen)
}

/** @param {Passkey} passkey */
async function remove ({ id, name }) {
  if (!await ask({ title: words.removeQuestion(name), lead: words.removeLead, agree: texts.factors.remove })) return
  if (!await changeConfirmed('DELETE', path(id))) return
  return words.removed(name)
}

/**
 * @param {Passkey[]} passkeys
 * @param {(button: HTMLButtonElement, act: () => Promise<string | undefined>) => void} handle
 */
export function showPasskeys (passkeys, handle) {
  byId('passkeys', HTMLElement).replaceChildren(...passkeys.map(passkey => {
    const item = cloneTemplate('passkey', { name: passkey.name })
    fillTimes(item, passkey.createdAt, 'added')
    fillTimes(item, passkey.lastUsedAt ?? passkey.createdAt, 'last')
    item.querySelector('[data-used]')?.toggleAttribute('hidden', !passkey.lastUsedAt)
    const [first, second] = item.querySelectorAll('button')
    first?.setAttribute('aria-label', words.renameNamed(passkey.name))
    second?.setAttribute('aria-label', words.removeNamed(passkey.name))
    if (first) handle(first, () => rename(passkey))
    if (second) handle(second, () => remove(passkey))
    return item
  }))
}
