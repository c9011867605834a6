import { randomBytes, randomUUID } from 'node:crypto'
import * as client from 'openid-client'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import type { NewApplication } from '../../../plugins/records/openid/applications.ts'
import { DEFAULT_SETTINGS } from '../../../src/openid/application-rules.ts'
import { digest } from '../../../src/secrets/digest.ts'
import { createBrowser, NO_LIMITS, type Browser } from '../browser.ts'
import { build } from '../build.ts'

export const CALLBACK = 'https://app.example.org/callback'

/** The service with its OpenID provider, on a port of its own. */
export async function startProvider (t: Test, settings: Record<string, string> = {}) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const service = await build(t, {
    settings: { ...NO_LIMITS, OPENID: 'on', PUBLIC_URL: issuer, PORT: String(port), ...settings },
  })
  await service.app.listen({ host: '127.0.0.1', port })
  const { app } = service

  /** An application, and openid-client set up for it. */
  async function addApplication (given: Partial<NewApplication> = {}) {
    const secret = randomBytes(32).toString('base64url')
    const application: NewApplication = {
      ...DEFAULT_SETTINGS,
      id: randomUUID(),
      name: 'Orders',
      kind: 'web',
      redirectUris: [CALLBACK],
      postLogoutUris: ['https://app.example.org/'],
      trusted: true,
      ...given,
    }
    await app.applications.add(app.database, application)
    if (application.kind !== 'public') await app.applications.addSecret(app.database, application.id, digest(secret))
    const authentication = application.kind === 'public' ? client.None() : client.ClientSecretBasic(secret)
    const relyingParty = await client.discovery(new URL(issuer), application.id, undefined, authentication, {
      execute: [client.allowInsecureRequests],
    })
    return { ...application, secret, relyingParty }
  }

  return { ...service, issuer, addApplication, browse: () => createBrowser(app) }
}

export type Provider = Awaited<ReturnType<typeof startProvider>>
export type RelyingParty = Awaited<ReturnType<Provider['addApplication']>>

/** The request of an application, with what it must remember. */
export async function beginSignIn (
  { redirectUris: [redirectUri = ''], relyingParty }: RelyingParty,
  parameters: Record<string, string> = {}
) {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const url = client.buildAuthorizationUrl(relyingParty, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...parameters,
  })
  return { path: url.pathname + url.search, checks: { pkceCodeVerifier: verifier, expectedState: state }, url }
}

/** Follows redirects of the service. Returns the address elsewhere that they end at, or the page. */
export async function follow (browser: Browser, path: string) {
  let answer = await browser.get(path)
  for (let steps = 0; steps < 10 && answer.statusCode >= 300 && answer.statusCode < 400; steps++) {
    const location = String(answer.headers.location)
    const { host, pathname, search } = new URL(location, 'http://same')
    if (!['same'].includes(host) && !location.includes('/oidc/')) return { answer, location: new URL(location) }
    answer = await browser.get(pathname + search)
  }
  return { answer, location: undefined }
}

/** The user is asked for consent, and gives it. Returns the address at the application. */
export async function consentTo (browser: Browser, { pathname, search }: URL): Promise<URL> {
  const { headers } = await browser.get(pathname + search)
  const interaction = new URL(String(headers.location), 'http://same').pathname
  const { next } = (await browser.guarded('POST', interaction, { allow: true })).json()
  const { answer, location } = await follow(browser, new URL(next).pathname)
  if (!location) throw new Error(`no way back to the application: ${answer.statusCode} ${answer.body.slice(0, 500)}`)
  return location
}

/** Signs in to an application with a browser that is signed in, and exchanges the code. */
export async function signInTo (
  application: RelyingParty,
  browser: Browser,
  parameters: Record<string, string> = {}
) {
  const { path, checks } = await beginSignIn(application, parameters)
  const { answer, location } = await follow(browser, path)
  if (!location) throw new Error(`no way back to the application: ${answer.statusCode} ${answer.body.slice(0, 500)}`)
  return client.authorizationCodeGrant(application.relyingParty, location, {
    ...checks,
    ...parameters.nonce && { expectedNonce: parameters.nonce },
    ...parameters.max_age && { maxAge: Number(parameters.max_age) },
  })
}
