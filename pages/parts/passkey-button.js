import { isBusy, setBusy } from './busy.js'
import { asGatehouseError, messageFor, refusalOf } from './form.js'
import { showMessage, showWait } from './notice.js'
import { usePasskey } from './passkeys.js'
import { texts } from './texts.js'
import { WebAuthnError } from './webauthn.js'

/** @typedef {import('./passkeys.js').PasskeyResponse} PasskeyResponse */

/** @param {Element} notice @param {unknown} error */
async function showError (notice, error) {
  if (error instanceof WebAuthnError) return showMessage(notice, texts.passkeys.failed)
  const failure = asGatehouseError(error)
  const { status, error: name, retryAfter } = failure
  if (status === 429) return showWait(notice, retryAfter ?? 60)
  const invalid = name === 'Invalid passkey' ? texts.passkeys.refused : undefined
  showMessage(notice, refusalOf(failure) ?? invalid ?? messageFor(status))
}

/**
 * A button that asks for a passkey and sends the response, one at a time. The result does the same with a response
 * that came without the button.
 * @param {HTMLButtonElement} button
 * @param {Element} notice
 * @param {(response: PasskeyResponse) => Promise<unknown>} send
 * @param {{ onEnd?: () => unknown, getOptions?: () => Promise<any> }} [options] `onEnd` is called when the button can
 *   be used again. `getOptions` takes the place of the request of this service's users.
 */
export function handlePasskeyButton (button, notice, send, { onEnd, getOptions } = {}) {
  /** @param {() => Promise<PasskeyResponse | undefined>} getResponse */
  async function run (getResponse) {
    if (isBusy(button)) return
    setBusy(button, true)
    showMessage(notice, '')
    try {
      const response = await getResponse()
      if (response) await send(response)
    } catch (error) {
      setBusy(button, true, false)
      await showError(notice, error)
    }
    setBusy(button, false)
  }

  button.addEventListener('click', async () => {
    if (isBusy(button)) return
    await run(() => usePasskey(getOptions))
    await onEnd?.()
  })
  return run
}
