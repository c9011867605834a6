import * as client from 'openid-client'
import type { Browser } from '../browser.ts'
import { beginSignIn, follow, type Provider, type RelyingParty } from './provider.ts'

export const REDIRECT = 'https://agent.example.net/callback'

/** Sends a registration: RFC 7591. */
export async function register ({ issuer }: Pick<Provider, 'issuer'>, metadata: unknown, headers = {}) {
  const answer = await fetch(`${issuer}/oidc/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

/** openid-client set up for an application that registered itself. */
export async function relyingPartyOf (
  { issuer }: Pick<Provider, 'issuer'>,
  { client_id: id, client_secret: secret, redirect_uris: redirectUris = [REDIRECT] }: Record<string, any>
) {
  const authentication = secret ? client.ClientSecretBasic(secret) : client.None()
  const relyingParty = await client.discovery(new URL(issuer), id, undefined, authentication, {
    execute: [client.allowInsecureRequests],
  })
  return { id, redirectUris, relyingParty } as unknown as RelyingParty
}

/** Begins a sign-in. Returns the page that asks for consent, or where the browser is sent. */
export async function askForConsent (
  { issuer }: Pick<Provider, 'issuer'>,
  application: RelyingParty,
  browser: Browser,
  parameters: Record<string, string> = {}
) {
  const { path, checks } = await beginSignIn(application, parameters)
  const begun = await browser.get(path)
  return { begun, checks, location: new URL(String(begun.headers.location ?? '/'), issuer) }
}

/** Signs in to an application that registered itself: the user allows it. */
export async function allow (
  provider: Pick<Provider, 'issuer'>,
  application: RelyingParty,
  browser: Browser,
  parameters: Record<string, string> = {}
) {
  const { begun, checks, location: { pathname } } = await askForConsent(provider, application, browser, parameters)
  if (!pathname.startsWith('/oidc/interaction/')) throw new Error(`not asked: ${begun.statusCode} ${begun.body}`)
  const { next } = (await browser.guarded('POST', pathname, { allow: true })).json()
  const { location, answer } = await follow(browser, new URL(next).pathname)
  if (!location) throw new Error(`no way back: ${answer.statusCode} ${answer.body.slice(0, 500)}`)
  return client.authorizationCodeGrant(application.relyingParty, location, checks)
}
