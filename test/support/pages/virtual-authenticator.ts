import type { Page } from 'playwright-core'

/**
 * Chromium's virtual authenticator, for this page. It answers at once, also to the request for autofill. Without
 * presence it waits, as for a user who does nothing.
 */
export async function addAuthenticator (page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setPresence: (enabled: boolean) =>
      cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    /** Whether the user passes the check of the fingerprint or PIN. */
    setVerified: (isUserVerified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,

    /** As if the passkey had been copied before its last uses. */
    async turnBackCounter (signCount: number) {
      const { credentials: [credential] } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      if (!credential) throw new Error('the authenticator is empty')
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } })
    },
  }
}
