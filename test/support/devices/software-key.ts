import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'
import type { Browser } from '../browser.ts'

export const REGISTRATION = '/api/auth/device'
export const PROOF = '/api/auth/device/proof'

/** The challenge of a header, which is also what a browser with Device Bound Session Credentials reads. */
export const challengeOf = (header: unknown) => /(?:challenge=|^)"([^"]*)"/.exec(String(header))?.[1] ?? ''

interface Signed { alg?: string, typ?: string, withKey?: JWK | false, key?: CryptoKey | Uint8Array }

type Answer = ReturnType<Browser['send']>

interface Device {
  jwk: JWK
  sign (challenge: string, signed?: Signed): Promise<string>
  /** What the browser calls the session. */
  identifier: string
  /** Answers the offer of a sign-in. */
  register (browser: Browser, offer: unknown, signed?: Signed): Answer
  challenge (browser: Browser, identifier?: string): Answer
  respond (browser: Browser, token: string): Answer
  /** As a browser does before it refreshes. */
  prove (browser: Browser): Answer
}

/** A key as a device keeps it, here in software, and the requests that a browser makes with it. */
export async function createDevice (alg: 'ES256' | 'RS256' = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)

  const sign = (challenge: string, { typ = 'dbsc+jwt', withKey = false, key = privateKey, ...given }: Signed = {}) =>
    new SignJWT({ jti: challenge })
      .setProtectedHeader({ alg: given.alg ?? alg, typ, ...(withKey && { jwk: withKey }) })
      .sign(key)

  const device: Device = {
    jwk,
    sign,
    identifier: '',

    async register (browser, offer, signed) {
      const token = await sign(challengeOf(offer), { withKey: jwk, ...signed })
      const answer = await browser.send('POST', REGISTRATION, undefined, { 'secure-session-response': token })
      if (answer.statusCode === 200) device.identifier = answer.json().session_identifier
      return answer
    },

    challenge: (browser, identifier = device.identifier) =>
      browser.send('POST', PROOF, undefined, { 'sec-secure-session-id': identifier }),

    respond: (browser, token) => browser.send('POST', PROOF, undefined, {
      'sec-secure-session-id': device.identifier, 'secure-session-response': token,
    }),

    async prove (browser) {
      const challenged = await device.challenge(browser)
      return device.respond(browser, await sign(challengeOf(challenged.headers['secure-session-challenge'])))
    },
  }
  return device
}
