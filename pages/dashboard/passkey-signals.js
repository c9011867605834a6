import { hasPasskeys } from '../parts/passkeys.js'
import { sendSignal } from '../parts/webauthn.js'

/** @typedef {Parameters<typeof sendSignal>[0]} Signal */

/** Not every browser can be told, and nothing depends on it. @param {Signal} signal */
const send = signal => sendSignal(signal).catch(() => {})

/**
 * Tells the browser which passkeys the account has and what it is called, so that it does not offer removed ones.
 * @param {{ passkeys: Array<{ credentialId: string }>, passkeyUserId: string | null }} factors
 * @param {{ username: string, name: string | null }} user
 */
export async function signalPasskeys ({ passkeys, passkeyUserId: userID }, { username, name }) {
  if (!hasPasskeys || !userID) return
  const rpID = location.hostname
  const allAcceptedCredentialIDs = passkeys.map(({ credentialId }) => credentialId)
  await send({ signalName: 'allAcceptedCredentials', rpID, userID, allAcceptedCredentialIDs })
  await send({ signalName: 'currentUserDetails', rpID, userID, userName: username, userDisplayName: name ?? username })
}

/** Tells the browser that the service does not know this passkey. @param {string} credentialID */
export const signalUnknownPasskey = credentialID =>
  send({ signalName: 'unknownCredential', rpID: location.hostname, credentialID })
