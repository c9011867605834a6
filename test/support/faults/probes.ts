import { PASSWORD } from '../browser.ts'
import { signInAtProvider } from '../person.ts'
import { createVisitor, type Sending, type Visitor } from './anonymous-client.ts'
import type { Answer } from './wire.ts'

export type Group = 'access' | 'records' | 'limited' | 'callback'

/** One request of a kind that the fault table tells of. */
export interface Probe {
  name: string
  group: Group
  /** The status when all is well. */
  usual: number
  send(): Promise<Answer | null>
  /** Where the request goes by the access token alone: gets a new one. */
  renew?: () => Promise<Answer | null>
}

const CALLBACK = '/api/auth/provider-a'
const REGISTER = { path: '/register', body: { password: PASSWORD } }
let newcomers = 0

/** One request of each kind, ready to be sent: whoever must be signed in is, and somebody is about to come back from the provider. */
export async function prepareProbes (port: number, user: { username: string, email: string }): Promise<Probe[]> {
  const signIn = (visitor: Visitor) =>
    visitor.send(port, { path: '/login', body: { username: user.username, password: PASSWORD } })

  async function signedIn (): Promise<Visitor> {
    const visitor = createVisitor()
    const answer = await signIn(visitor)
    if (answer?.status !== 200) throw new Error(`could not sign in: ${answer?.status} ${answer?.body}`)
    return visitor
  }

  const [reader, refresher, leaver, stranger] = [
    await signedIn(),
    await signedIn(),
    await signedIn(),
    createVisitor(),
  ]
  const comeBack = await setOutForProvider(port, stranger)
  const newcomer = `newcomer${++newcomers}`
  const probe = (group: Group, usual: number, visitor: Visitor, sending: Sending): Probe => ({
    name: `${sending.method ?? 'POST'} ${sending.path.split('?')[0]}`,
    group,
    usual,
    send: () => visitor.send(port, sending),
  })
  const renew = () => reader.send(port, { path: '/api/auth/refresh' })
  const get = (path: string) => ({ method: 'GET', path })

  return [
    { ...probe('access', 204, reader, get('/api/auth/verify')), renew },
    { ...probe('access', 200, reader, get('/api/auth/me')), renew },
    probe('access', 200, stranger, get('/login')),
    probe('access', 200, stranger, get('/health/live')),
    probe('records', 200, createVisitor(), { path: '/login', body: { username: user.username, password: PASSWORD } }),
    probe('records', 200, refresher, { path: '/api/auth/refresh' }),
    probe('records', 204, leaver, { path: '/logout' }),
    probe('records', 202, stranger, {
      ...REGISTER,
      body: { ...REGISTER.body, username: newcomer, email: `${newcomer}@example.com` },
    }),
    probe('records', 202, stranger, { path: '/reset-password', body: { email: user.email } }),
    probe('limited', 200, stranger, { path: '/api/auth/password/check', body: { password: PASSWORD } }),
    probe('callback', 302, stranger, get(comeBack)),
  ]
}

/** Up to the moment when the browser is sent back to us. */
async function setOutForProvider (port: number, visitor: Visitor): Promise<string> {
  const start = await visitor.send(port, { method: 'GET', path: CALLBACK })
  const back = await signInAtProvider(String(start?.headers.location), {
    as: { name: 'Ada Lovelace', email: 'ada@example.org' },
  })
  return back.pathname + back.search
}
