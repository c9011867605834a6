import { PASSWORD } from '../browser.ts'
import type { Random } from './random.ts'
import { createCookieClient, freshAddress, type ClientRequest, type CookieClient } from './cookie-client.ts'

/** A usual mix of requests, with weights. */
const MIX = {
  check: 30,
  refresh: 15,
  me: 10,
  session: 5,
  devices: 5,
  content: 5,
  page: 5,
  health: 3,
  'password check': 3,
  login: 6,
  'wrong password': 2,
  logout: 2,
  register: 1,
  'ask for a reset': 1,
}
type Operation = keyof typeof MIX

let newcomers = 0

/** Sends one random request at a time, again while it is refused, and returns its status. */
export function createTrafficClient (ports: number[], random: Random, username: string) {
  const client: CookieClient = createCookieClient()
  const get = (path: string): ClientRequest => ({ method: 'GET', path })

  const requests: Record<Operation, () => ClientRequest> = {
    check: () => get('/api/auth/verify'),
    me: () => get('/api/auth/me'),
    session: () => get('/api/auth/session'),
    devices: () => get('/api/auth/sessions'),
    content: () => get('/api/content'),
    page: () => get('/login'),
    health: () => get('/health'),
    refresh: () => ({ path: '/api/auth/refresh' }),
    'password check': () => ({ path: '/api/auth/password/check', body: { password: PASSWORD } }),
    login: () => ({ path: '/login', body: { username, password: PASSWORD } }),
    'wrong password': () => ({ path: '/login', body: { username, password: 'wrong' } }),
    logout: () => ({ path: '/logout' }),
    register () {
      const name = `newcomer${++newcomers}`
      return { path: '/register', body: { username: name, email: `${name}@example.com`, password: PASSWORD } }
    },
    'ask for a reset': () => ({ path: '/reset-password', body: { email: `${username}@example.com` } }),
  }

  return {
    async send (): Promise<{ operation: Operation, status: number | null }> {
      const operation = client.cookies.has('refresh_token') ? random.weighted(MIX) : 'login'
      const response = await client.send(random.pick(ports), { ...requests[operation](), address: freshAddress() })
      if (response?.status === 401) client.cookies.clear()
      return { operation, status: response?.status ?? null }
    },
  }
}
