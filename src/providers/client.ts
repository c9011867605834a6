import type { Ask, ProviderSettings } from './providers.ts'

/** GitHub refuses those who do not say who they are. */
const HEADERS = { accept: 'application/json', 'user-agent': 'gatehouse' }

/** Trades the code for the person's access token. Providers say no with an error status, or with 200 and an `error`. */
export async function exchangeCode ({ clientId, clientSecret, tokenUrl }: ProviderSettings, grant: Record<string, string>, signal: AbortSignal): Promise<{ access_token: string }> {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId, client_secret: clientSecret, ...grant })
  const answer = await fetch(tokenUrl, { method: 'POST', body, headers: HEADERS, redirect: 'error', signal })
  const { access_token: token } = await answer.json() as { access_token?: unknown }
  if (!answer.ok || typeof token !== 'string' || !token) throw new Error(`the provider refused the code with ${answer.status}`)
  return { access_token: token }
}

export function askAs (token: string, signal: AbortSignal): Ask {
  return async function ask (url) {
    const answer = await fetch(url, { headers: { ...HEADERS, authorization: `Bearer ${token}` }, redirect: 'error', signal })
    if (!answer.ok) throw new Error(`the provider answered with ${answer.status}`)
    return { body: await answer.json(), next: nextPage(answer.headers.get('link'), url) }
  }
}

/** The token goes nowhere but to the host that was asked. */
function nextPage (link: string | null, current: string): string | undefined {
  const next = link?.match(/<([^>]+)>;\s*rel="next"/)?.[1]
  if (!next || !URL.canParse(next, current)) return undefined
  const url = new URL(next, current)
  return url.origin === new URL(current).origin ? url.href : undefined
}
