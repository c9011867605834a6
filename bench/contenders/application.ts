import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Stage } from '../environment/stage.ts'
import { createVisitor, type Answered, type Ask } from '../workloads/openid.ts'

const CALLBACK = 'https://app.example.org/callback'
const VERIFIER = 'a'.repeat(43)
const RESOURCE = 'https://api.example.org/orders'

/** A provider with one resource, for which machines get tokens. */
export const OPENID_SETTINGS = {
  OPENID: 'on',
  OPENID_RESOURCES: 'orders',
  OPENID_RESOURCE_ORDERS_URI: RESOURCE,
  OPENID_RESOURCE_ORDERS_DESCRIPTION: 'Your orders',
  OPENID_RESOURCE_ORDERS_SCOPES: 'orders:read=See your orders',
}

export interface Tokens { access_token: string, refresh_token: string }

export function expected (answer: Answered, wanted: number, what: string): Answered {
  if (answer.status !== wanted) throw new Error(`${what} gave ${answer.status}: ${answer.body}`)
  return answer
}

/** The headers with which it authenticates. */
async function add (stage: Stage, database: string, kind: 'web' | 'machine', id: string) {
  const secret = randomBytes(32).toString('base64url')
  await stage.query(database, `
    INSERT INTO applications (id, name, kind, redirect_uris, trusted, resources)
    VALUES ($1, 'Orders', $2, $3, $2 = 'web', $4)`,
  [id, kind, kind === 'web' ? [CALLBACK] : [], kind === 'machine' ? [`${RESOURCE} orders:read`] : []])
  await stage.query(database, 'INSERT INTO application_secrets (application_id, digest) VALUES ($1, $2)',
    [id, createHash('sha256').update(secret).digest()])
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

/** A program that acts for itself. */
export const addMachine = (stage: Stage, database: string) => add(stage, database, 'machine', randomUUID())

/** An application on another host, which signs users in. */
export async function addApplication (stage: Stage, database: string) {
  const id = randomUUID()
  const headers = await add(stage, database, 'web', id)
  const request = new URLSearchParams({
    client_id: id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid email',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const path = `/oidc/auth?${request}`

  async function exchange (ask: Ask, address: unknown): Promise<Tokens> {
    const form = {
      grant_type: 'authorization_code',
      code: new URL(String(address)).searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    }
    return JSON.parse(expected(await ask({ path: '/oidc/token', headers, form }), 200, 'the exchange of the code').body)
  }

  return {
    headers,

    /** A user who has a session: the request of the browser, and the exchange of the code. */
    async signIn (ask: Ask, cookie: string): Promise<Tokens> {
      const back = expected(await ask({ path, cookie }), 303, 'the request for a code')
      return exchange(ask, back.headers.location)
    },

    /** A user without one, who is asked for the password on the way. */
    async signInWithPassword (ask: Ask, logIn: (visit: Ask) => Promise<unknown>): Promise<Tokens> {
      const visit = createVisitor(ask)
      let { headers: { location } } = expected(await visit({ path }), 303, 'the request for a code')
      while (location && !location.startsWith(CALLBACK)) {
        const { pathname, search, searchParams } = new URL(location, CALLBACK)
        if (pathname === '/login') await logIn(visit)
        const next = pathname === '/login' ? searchParams.get('next') as string : pathname + search
        location = expected(await visit({ path: next }), 303, next).headers.location
      }
      return exchange(ask, location)
    },
  }
}
