// @ts-check
import { handleAuthenticatorApp, setUpAuthenticatorApp } from './authenticator-app.js'
import { changeConfirmed } from './confirm-identity.js'
import { byId } from './elements.js'
import { asGatehouseError, messageFor } from './form.js'
import { showMessage } from './notice.js'
import { ask } from './question.js'
import { showRecoveryCodes } from './recovery-codes.js'
import { texts } from './texts.js'

const { factors: words } = texts
const notice = byId('factors-notice', HTMLElement)
const title = byId('factors-title', HTMLElement)

/** @typedef {{ totp: boolean, recoveryCodesLeft: number, required: boolean }} Factors */

/** @param {Factors} factors */
export function showFactors ({ totp, recoveryCodesLeft }) {
  for (const part of document.querySelectorAll('[data-totp]')) {
    part.toggleAttribute('hidden', part.getAttribute('data-totp') !== String(totp))
  }
  byId('codes-left', HTMLElement).textContent = words.left(recoveryCodesLeft)
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

/** @param {() => Promise<void>} reload */
export function handleFactors (reload) {
  /** @param {string} id @param {() => Promise<string | void>} act Resolves to a message, if there is one. */
  function handle (id, act) {
    const button = document.getElementById(id)
    button?.addEventListener('click', async () => {
      if (button.getAttribute('aria-busy') === 'true') return
      button.setAttribute('aria-busy', 'true')
      showMessage(notice, '')
      try {
        const message = await act()
        await reload()
        if (message) showMessage(notice, message, 'success')
      } catch (error) {
        const { status } = asGatehouseError(error)
        showMessage(notice, status === 409 ? words.conflict : messageFor(status))
      }
      button.setAttribute('aria-busy', 'false')
      // The button that had the keyboard focus may be hidden now.
      if (button.hidden) title.focus()
    })
  }

  handle('add-totp', setUpAuthenticatorApp)
  handle('new-codes', createCodes)
  handle('remove-totp', removeApp)
  handleAuthenticatorApp(async () => {
    await reload()
    showMessage(notice, words.added, 'success')
    title.focus()
  })
}
