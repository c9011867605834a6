import { decodeJwt } from 'jose'
import type { FetchJson } from './providers.ts'

/** GitHub requires a User-Agent. */
const HEADERS = { accept: 'application/json', 'user-agent': 'gatehouse' }

/**
 * When the user signed in at the provider, in seconds, if there is an ID token that tells it. It comes from the
 * provider itself, over TLS: OpenID Connect then requires no check of its signature.
 */
export function authTimeOf (idToken: unknown): number | undefined {
  const authTime = typeof idToken === 'string' ? decodeJwt(idToken).auth_time : undefined
  return typeof authTime === 'number' ? authTime : undefined
}

/** With the user's access token. */
export function fetchWithToken (token: string, signal: AbortSignal): FetchJson {
  const headers = { ...HEADERS, authorization: `Bearer ${token}` }
  return async function fetchJson (url) {
    const response = await fetch(url, { headers, redirect: 'error', signal })
    if (!response.ok) throw new Error(`the provider responded with status ${response.status}`)
    return { body: await response.json(), next: nextPage(response.headers.get('link'), url) }
  }
}

/** Ignores links to other origins, so that the token is never sent there. */
function nextPage (link: string | null, current: string): string | undefined {
  const next = link?.match(/<([^>]+)>;\s*rel="next"/)?.[1]
  if (!next || !URL.canParse(next, current)) return undefined
  const url = new URL(next, current)
  return url.origin === new URL(current).origin ? url.href : undefined
}
