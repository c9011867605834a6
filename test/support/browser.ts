import bcrypt from 'bcrypt'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type pg from 'pg'
import { secrets, TEST_COST } from './build.ts'
import { repeatRefused } from './repeat-refused.ts'
import { nextNumber } from './shared.ts'

export const PASSWORD = 'tr0mbone-Under-glass!'
secrets.add(PASSWORD)
const hashes = new Map<string, Promise<string>>()

/** One hash for each process, since bcrypt is slow. */
export function hashOf (password: string, cost = TEST_COST): Promise<string> {
  const key = `${cost}:${password}`
  const hash = hashes.get(key) ?? bcrypt.hash(password, cost)
  hashes.set(key, hash)
  return hash
}

interface UserRow {
  username: string
  email: string
  name: string | null
  password_hash: string | null
  email_verified_at: Date | null
  disabled_at: Date | null
  provider: string | null
  provider_a_id: string | null
  external_id?: string
  language?: string
  time_zone?: string
}

/** A verified account with PASSWORD, unless given otherwise. */
export async function createUser (owner: pg.Pool, given: Partial<UserRow> = {}) {
  const username = given.username ?? `user${nextNumber('user')}`
  const row: UserRow = {
    username,
    email: `${username}@example.com`,
    name: null,
    password_hash: await hashOf(PASSWORD),
    email_verified_at: new Date(),
    disabled_at: null,
    provider: null,
    provider_a_id: null,
    ...given,
  }
  const columns = Object.keys(row)
  const { rows } = await owner.query(
    `INSERT INTO users (${columns}) VALUES (${columns.map((_, index) => `$${index + 1}`)}) RETURNING id`,
    Object.values(row)
  )
  return { id: rows[0].id as string, ...row, password: PASSWORD }
}

/** A client address of its own. */
function newAddress (): string {
  const number = nextNumber('address')
  return `10.1.${Math.floor(number / 250)}.${(number % 250) + 1}`
}

/**
 * Keeps cookies as a browser does and records every token as a secret. Each has its own client address.
 * Without `repeats`, a sign-in that is refused (503) is not sent again.
 */
export function createBrowser (
  app: FastifyInstance,
  {
    userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    address = newAddress(),
    repeats = true,
  } = {}
) {
  const cookies = new Map<string, string>()

  async function send (
    method: InjectOptions['method'],
    url: string,
    payload?: object,
    headers: Record<string, string> = {}
  ) {
    const answer = await app.inject({
      method,
      url,
      payload,
      headers: { 'user-agent': userAgent, ...headers },
      cookies: Object.fromEntries(cookies),
      remoteAddress: address,
    })
    for (const { name, value, maxAge } of answer.cookies as Array<{ name: string, value: string, maxAge?: number }>) {
      if (value === '' || maxAge === 0) cookies.delete(name)
      else cookies.set(name, value)
      if (name.endsWith('_token') && value) secrets.add(value)
    }
    return answer
  }

  return {
    address,
    cookies,
    send,
    get: (url: string) => send('GET', url),
    post: (url: string, payload?: object) => send('POST', url, payload),
    signIn (username: string, password = PASSWORD) {
      const ask = () => send('POST', '/login', { username, password })
      return repeats ? repeatRefused(ask) : ask()
    },
    refresh: () => send('POST', '/api/auth/refresh'),

    /** As a page does: gets a CSRF token first, then sends the request with it. Without one, there is no request. */
    async guarded (method: InjectOptions['method'], url: string, payload?: object) {
      const issued = await send('GET', '/api/csrf-token')
      if (issued.statusCode !== 200) return issued
      return send(method, url, payload, { 'x-csrf-token': issued.json().csrfToken })
    },
  }
}

export type Browser = ReturnType<typeof createBrowser>

/** Very high limits, for tests of other things. */
export const NO_LIMITS = {
  LIMIT_LOGIN_MAX: '100000',
  LIMIT_GENERAL_MAX: '100000',
  LIMIT_SENSITIVE_MAX: '100000',
  LIMIT_ACCOUNT_MAX: '100000',
}
