import { handleAuthenticatorApp, setUpAuthenticatorApp } from './authenticator-app.js'
import { isBusy, setBusy } from '../parts/busy.js'
import { changeConfirmed } from './confirm-identity.js'
import { byId } from '../parts/elements.js'
import { asGatehouseError, messageFor } from '../parts/form.js'
import { showMessage } from '../parts/notice.js'
import { addPasskey, showPasskeys } from './own-passkeys.js'
import { hasPasskeys } from '../parts/passkeys.js'
import { ask } from '../parts/question.js'
import { showRecoveryCodes } from './recovery-codes.js'
import { texts } from '../parts/texts.js'
import { WebAuthnError } from '../parts/webauthn.js'

const { factors: words, passkeys: passkeyWords } = texts
const notice = byId('factors-notice', HTMLElement)
const title = byId('factors-title', HTMLElement)

/**
 * @typedef {object} Factors
 * @property {import('./own-passkeys.js').Passkey[]} passkeys
 * @property {string | null} passkeyUserId
 * @property {boolean} totp
 * @property {number} recoveryCodesLeft
 */

/** @param {Factors} factors @param {() => Promise<void>} reload */
export function showFactors ({ passkeys, totp, recoveryCodesLeft }, reload) {
  for (const part of document.querySelectorAll('[data-totp]')) {
    part.toggleAttribute('hidden', part.getAttribute('data-totp') !== String(totp))
  }
  byId('codes-left', HTMLElement).textContent = words.left(recoveryCodesLeft)
  byId('recovery-codes', HTMLElement).hidden = !totp && passkeys.length === 0
  showPasskeys(passkeys, (button, act) => handle(button, act, reload))
  if (!hasPasskeys) explainMissingPasskeys(passkeys.length > 0)
}

/** The browser has no passkeys. The account may. @param {boolean} areThere */
function explainMissingPasskeys (areThere) {
  const about = document.getElementById('about-passkeys')
  const hint = about?.querySelector('.hint')
  about?.toggleAttribute('hidden', !areThere)
  if (hint) hint.textContent = passkeyWords.unsupported
}

async function createCodes () {
  if (!await ask({ title: words.newCodesQuestion, lead: words.newCodesLead, agree: words.newCodes })) return
  const response = await changeConfirmed('POST', '/api/auth/factors/recovery-codes')
  if (response) await showRecoveryCodes((await response.json()).recoveryCodes)
}

async function removeApp () {
  if (!await ask({ title: words.removeQuestion, lead: words.removeLead, agree: words.remove })) return
  if (!await changeConfirmed('DELETE', '/api/auth/factors/totp')) return
  return words.removed
}

/** @param {unknown} error @param {Record<number, string>} messages */
function failureOf (error, messages) {
  if (error instanceof WebAuthnError) {
    return error.name === 'InvalidStateError' ? passkeyWords.known : passkeyWords.failed
  }
  const { status } = asGatehouseError(error)
  return messages[status] ?? messageFor(status)
}

/**
 * @param {HTMLElement | null} button
 * @param {() => Promise<string | void>} act Resolves to a message, if there is one.
 * @param {() => Promise<void>} reload
 * @param {Record<number, string>} [messages]
 */
function handle (button, act, reload, messages = { 404: texts.failure[409], 409: words.conflict }) {
  button?.addEventListener('click', async () => {
    if (isBusy(button)) return
    setBusy(button, true)
    showMessage(notice, '')
    try {
      const message = await act()
      await reload()
      if (message) showMessage(notice, message, 'success')
    } catch (error) {
      showMessage(notice, failureOf(error, messages))
    }
    setBusy(button, false)
    // The button that had the keyboard focus may be hidden or gone now.
    if (button.hidden || !button.isConnected) title.focus()
  })
}

/** @param {() => Promise<void>} reload */
export function handleFactors (reload) {
  const add = document.getElementById('add-passkey')
  if (add) add.hidden = !hasPasskeys
  handle(add, addPasskey, reload, { 400: passkeyWords.notAdded, 409: passkeyWords.tooMany })
  handle(document.getElementById('add-totp'), setUpAuthenticatorApp, reload)
  handle(byId('new-codes', HTMLElement), createCodes, reload)
  handle(byId('remove-totp', HTMLElement), removeApp, reload)
  handleAuthenticatorApp(async () => {
    await reload()
    showMessage(notice, words.added, 'success')
    title.focus()
  })
}
