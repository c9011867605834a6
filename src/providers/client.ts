import { decodeJwt } from 'jose'
import { ProviderSignInFailed } from './errors.ts'
import type { FetchJson, ProviderSettings } from './providers.ts'
import { refusalIn } from './refusal.ts'

/** GitHub requires a User-Agent. */
const HEADERS = { accept: 'application/json', 'user-agent': 'gatehouse' }

/**
 * Exchanges the code for an access token, and reads from the ID token, if there is one, when the user signed in there.
 * The ID token comes from the provider itself, over TLS: OpenID Connect then requires no check of its signature.
 * Providers report errors by status, or by status 200 with an `error`.
 */
export async function exchangeCode (
  { clientId, clientSecret, tokenUrl }: ProviderSettings,
  grant: { code: string, redirect_uri: string, code_verifier: string },
  signal: AbortSignal
): Promise<{ token: string, authTime?: number }> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    ...grant,
  })
  const response = await fetch(tokenUrl, { method: 'POST', body, headers: HEADERS, redirect: 'error', signal })
  const answer = await response.json() as Record<string, unknown>
  const { access_token: token, id_token: idToken } = answer
  if (!response.ok || typeof token !== 'string' || !token) {
    const refusal = refusalIn(answer, [clientSecret, grant.code, grant.code_verifier])
    throw new ProviderSignInFailed(`the provider refused the code with status ${response.status}`, { refusal })
  }
  return { token, authTime: typeof idToken === 'string' ? authTimeOf(idToken) : undefined }
}

function authTimeOf (idToken: string): number | undefined {
  const { auth_time: authTime } = decodeJwt(idToken)
  return typeof authTime === 'number' ? authTime : undefined
}

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
