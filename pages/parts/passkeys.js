import { gatehouse } from './api.js'
import {
  browserSupportsWebAuthn, browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService,
} from './webauthn.js'

/** @typedef {import('@simplewebauthn/browser').AuthenticationResponseJSON} PasskeyResponse */

/** The challenge is valid for five minutes: autofill, which waits longer, gets a new one before. */
const RENEW_AFTER = 4 * 60_000
/** A browser runs one request at a time, and some need a moment to end the one for autofill. */
const END_TIMEOUT = 1_000
const END_INTERVAL = 50

/** Browsers have passkeys only on https and on localhost. The service accepts them only at its PUBLIC_URL. */
export const hasPasskeys = browserSupportsWebAuthn() && location.origin === document.body.dataset.passkeyOrigin

/** @typedef {{ isWanted: boolean, isOver: boolean, ended: Promise<unknown> }} Offer */

/** The latest offer in the username field. @type {Offer | undefined} */
let autofill

/** The user cancelled, the browser found no passkey, or another request took its place. @param {unknown} error */
export const isCancelled = error => error instanceof Error && /^(NotAllowed|Abort)Error$/.test(error.name)

/** Ends the request for a passkey that is under way. */
export const cancelPasskey = () => WebAuthnAbortService.cancelCeremony()

/** Ends the offer of `offerAutofill`. The library has nothing to cancel until its request has begun. */
export async function stopAutofill () {
  const offer = autofill
  if (!offer) return
  offer.isWanted = false
  for (let waited = 0; !offer.isOver && waited < END_TIMEOUT; waited += END_INTERVAL) {
    cancelPasskey()
    await Promise.race([offer.ended, new Promise(resolve => setTimeout(resolve, END_INTERVAL))])
  }
}

/**
 * Asks the user for a passkey. Resolves to undefined if they cancel.
 * @param {() => Promise<any>} [getOptions]
 * @returns {Promise<PasskeyResponse | undefined>}
 */
export async function usePasskey (getOptions = gatehouse.passkeyOptions) {
  await stopAutofill()
  const optionsJSON = await getOptions()
  try {
    return await startAuthentication({ optionsJSON })
  } catch (error) {
    if (!isCancelled(error)) throw error
  }
}

/** Offers passkeys in the username field. @param {(response: PasskeyResponse) => unknown} onPasskey */
export async function offerAutofill (onPasskey) {
  await stopAutofill()
  if (!hasPasskeys || !await browserSupportsWebAuthnAutofill()) return
  /** @type {Offer} */
  const offer = { isWanted: true, isOver: false, ended: Promise.resolve() }

  async function request () {
    const optionsJSON = await gatehouse.passkeyOptions()
    return offer.isWanted ? startAuthentication({ optionsJSON, useBrowserAutofill: true }) : undefined
  }

  const renewal = setTimeout(() => offerAutofill(onPasskey), RENEW_AFTER)
  // If autofill fails, the button and the password remain.
  const pending = request().catch(() => undefined).finally(() => {
    clearTimeout(renewal)
    offer.isOver = true
  })
  offer.ended = pending
  autofill = offer
  const response = await pending
  if (response) await onPasskey(response)
}
