import { createHash, randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { eventually, inTime } from '../patience.ts'
import { signInAtProvider } from '../person.ts'

export const REGISTRATION = {
  clientId: 'gatehouse',
  clientSecret: randomBytes(16).toString('hex'),
  redirectUri: 'http://localhost:3000/callback',
}

export type Choice = Parameters<typeof signInAtProvider>[1]
interface Endpoints {
  authorizeUrl: string
  tokenUrl: string
  scope: string
}
interface Exchange {
  code: string
  verifier: string
  secret?: string
  redirectUri?: string
  signal?: AbortSignal
}

export async function ask (url: string, token: string, scheme = 'Bearer') {
  return readAnswer(await fetch(url, { headers: { authorization: `${scheme} ${token}` } }))
}

async function readAnswer (answer: Response): Promise<{ status: number, headers: Headers, body: any }> {
  const { status, headers } = answer
  return {
    status,
    headers,
    body: headers.get('content-type')?.includes('json') ? await answer.json() : await answer.text(),
  }
}

/** The code flow with PKCE, step by step. */
export function createClient ({ authorizeUrl, tokenUrl, scope }: Endpoints) {
  function prepare (scopes = scope) {
    const state = randomBytes(16).toString('base64url')
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: REGISTRATION.clientId,
      redirect_uri: REGISTRATION.redirectUri,
      scope: scopes,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    return { state, verifier, url: `${authorizeUrl}?${query}` }
  }

  async function signIn (choice?: Choice, scopes?: string) {
    const { url, state, verifier } = prepare(scopes)
    const callback = await signInAtProvider(url, choice)
    return { callback, state, verifier, code: callback.searchParams.get('code') ?? '' }
  }

  async function exchange ({
    code,
    verifier,
    secret = REGISTRATION.clientSecret,
    redirectUri = REGISTRATION.redirectUri,
    signal,
  }: Exchange) {
    return readAnswer(
      await fetch(tokenUrl, {
        method: 'POST',
        headers: { accept: 'application/json', authorization: `Basic ${btoa(`${REGISTRATION.clientId}:${secret}`)}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          code_verifier: verifier,
          redirect_uri: redirectUri,
        }),
        signal,
      })
    )
  }

  return {
    prepare,
    signIn,
    exchange,
    async refusal (choice: Choice) {
      return (await signIn(choice)).callback.searchParams.get('error')
    },
    async tokenFor (choice?: Choice, scopes?: string): Promise<string> {
      return (await exchange(await signIn(choice, scopes))).body.access_token
    },
  }
}

/** Also during a slow response. */
export async function stopsCompletely (
  t: Test,
  start: () => Promise<{ url: string, exchanges: number, stop(): Promise<unknown> } & Endpoints>
) {
  const resources = () => {
    const all = process.getActiveResourcesInfo()
    return ['TCPServerWrap', 'Timeout'].map(kind => all.filter(each => each === kind).length)
  }
  const before = resources()
  const provider = await start()
  const { signIn, exchange } = createClient(provider)
  const slow = t.rejects(exchange(await signIn({ misbehaviour: 'slow-token' })))
  await eventually(() => provider.exchanges, count => count === 1)

  await inTime(provider.stop(), 'the end of the provider')
  await slow
  await t.rejects(fetch(provider.url), { cause: { code: 'ECONNREFUSED' } })
  // A timer from before may end meanwhile.
  await eventually(resources, left => left.every((count, index) => count <= (before[index] as number)))
}
