import { createAuthenticator, type Fault } from './authenticator.ts'
import type { Browser } from './browser.ts'

export const ORIGIN = 'https://auth.example.com'

export type Authenticator = ReturnType<typeof createAuthenticator>

const optionsFor = async (browser: Browser) => (await browser.post('/login/passkey/options')).json()

/** Adds a passkey to the account that is signed in, and returns the response. */
export async function addPasskey (browser: Browser, authenticator: Authenticator, fault: Fault = {}, name = 'Laptop') {
  const options = await browser.guarded('POST', '/api/auth/factors/passkeys/options')
  if (options.statusCode !== 200) return options
  const response = authenticator.create(options.json(), fault)
  return browser.guarded('POST', '/api/auth/factors/passkeys', { response, name })
}

/** The answer of the authenticator to new options. */
export const usePasskey = async (browser: Browser, authenticator: Authenticator, fault: Fault = {}) =>
  authenticator.get(await optionsFor(browser), fault)

export const signInWithPasskey = async (browser: Browser, authenticator: Authenticator, fault: Fault = {}) =>
  browser.post('/login/passkey', { response: await usePasskey(browser, authenticator, fault) })

/** A new authenticator with a passkey of the account that is signed in. */
export async function enrolled (browser: Browser, options?: Parameters<typeof createAuthenticator>[1]) {
  const authenticator = createAuthenticator(ORIGIN, options)
  const added = await addPasskey(browser, authenticator)
  if (added.statusCode !== 201) throw new Error(added.body)
  return { authenticator, passkey: added.json().passkey as { id: string, name: string } }
}
