import { PASSWORD } from '../browser.ts'
import type { Random } from './random.ts'
import { createVisitor, freshAddress, type Sending, type Visitor } from './anonymous-client.ts'

/** What a service hears all day, and how often. */
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
type Deed = keyof typeof MIX

let newcomers = 0

/** Somebody who comes and goes for as long as the run lasts, and tells what they were answered. */
export function createRegular (ports: number[], random: Random, username: string) {
  const visitor: Visitor = createVisitor()
  const get = (path: string): Sending => ({ method: 'GET', path })

  const sendings: Record<Deed, () => Sending> = {
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
    async act (): Promise<{ deed: Deed, status: number | null }> {
      const deed = visitor.cookies.has('refresh_token') ? random.weighted(MIX) : 'login'
      const answer = await visitor.send(random.pick(ports), { ...sendings[deed](), address: freshAddress() })
      if (answer?.status === 401) visitor.cookies.clear()
      return { deed, status: answer?.status ?? null }
    },
  }
}
