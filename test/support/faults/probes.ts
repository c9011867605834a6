import { PASSWORD } from '../browser.ts'
import { signInAtProvider } from '../person.ts'
import { repeatRefused } from '../repeat-refused.ts'
import { createCookieClient, type ClientRequest, type CookieClient } from './cookie-client.ts'
import type { HttpResponse } from './http-request.ts'

export type Group = 'access' | 'records' | 'limited' | 'callback'

/** One request of a kind that the fault table lists. */
export interface Probe {
  name: string
  group: Group
  /** The status without a fault. */
  usual: number
  send(): Promise<HttpResponse | null>
  /** The same once more, after a refusal. */
  again(): Promise<HttpResponse | null>
  /** For requests that need an access token: gets a new one. */
  renew?: () => Promise<HttpResponse | null>
}

const CALLBACK = '/api/auth/provider-a'
const REGISTER = { path: '/register', body: { password: PASSWORD } }
let newcomers = 0

/** Each response is what the row is about. */
const newClient = () => createCookieClient(undefined, { repeats: false })

/** One request of each kind, ready to be sent: sessions are open, and a sign-in at the provider awaits its callback. */
export async function prepareProbes (port: number, user: { username: string, email: string }): Promise<Probe[]> {
  const signIn = (client: CookieClient) =>
    client.send(port, { path: '/login', body: { username: user.username, password: PASSWORD } })

  async function signedIn (): Promise<CookieClient> {
    const client = newClient()
    const response = await repeatRefused(() => signIn(client))
    if (response?.status !== 200) throw new Error(`could not sign in: ${response?.status} ${response?.body}`)
    return client
  }

  const [reader, refresher, leaver, stranger] = [
    await signedIn(),
    await signedIn(),
    await signedIn(),
    newClient(),
  ]
  const callback = await startProviderSignIn(port, stranger)
  const newcomer = `newcomer${++newcomers}`
  const probe = (group: Group, usual: number, client: CookieClient, request: ClientRequest): Probe => ({
    name: `${request.method ?? 'POST'} ${request.path.split('?')[0]}`,
    group,
    usual,
    send: () => client.send(port, request),
    again: () => client.send(port, request),
  })
  const renew = () => reader.send(port, { path: '/api/auth/refresh' })
  const get = (path: string) => ({ method: 'GET', path })

  return [
    { ...probe('access', 204, reader, get('/api/auth/verify')), renew },
    { ...probe('access', 200, reader, get('/api/auth/me')), renew },
    probe('access', 200, stranger, get('/login')),
    probe('access', 200, stranger, get('/health/live')),
    probe('records', 200, newClient(), {
      path: '/login',
      body: { username: user.username, password: PASSWORD },
    }),
    probe('records', 200, refresher, { path: '/api/auth/refresh' }),
    probe('records', 204, leaver, { path: '/logout' }),
    probe('records', 202, stranger, {
      ...REGISTER,
      body: { ...REGISTER.body, username: newcomer, email: `${newcomer}@example.com` },
    }),
    probe('records', 202, stranger, { path: '/reset-password', body: { email: user.email } }),
    probe('limited', 200, stranger, { path: '/api/auth/password/check', body: { password: PASSWORD } }),
    {
      ...probe('callback', 302, stranger, get(callback)),
      // A callback is accepted once.
      again: async () => stranger.send(port, get(await startProviderSignIn(port, stranger))),
    },
  ]
}

/** Signs in at the provider and returns the path of the callback, without requesting it. */
async function startProviderSignIn (port: number, client: CookieClient): Promise<string> {
  const start = await client.send(port, { method: 'GET', path: CALLBACK })
  const back = await signInAtProvider(String(start?.headers.location), {
    as: { name: 'Ada Lovelace', email: 'ada@example.org' },
  })
  return back.pathname + back.search
}
