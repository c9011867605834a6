import { gatehouse } from '../parts/api.js'
import { byId } from '../parts/elements.js'
import { handlePasskeyButton } from '../parts/passkey-button.js'
import { hasPasskeys, offerAutofill } from '../parts/passkeys.js'

/**
 * The button, and passkeys in the autofill of the username field. The result offers the autofill.
 * @param {() => Promise<unknown>} onSignedIn
 */
export function handlePasskeySignIn (onSignedIn) {
  const button = byId('use-passkey', HTMLButtonElement)
  button.hidden = !hasPasskeys
  button.classList.remove('waiting')
  const run = handlePasskeyButton(button, byId('arrival', HTMLElement), async response => {
    await gatehouse.signInWithPasskey(response)
    await onSignedIn()
  }, { onEnd: offer })

  function offer () {
    return offerAutofill(response => run(async () => response))
  }
  return offer
}
