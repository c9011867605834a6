// A bare node:http server with pg that executes the statement of a refresh, and sends one given response. PARTS adds
// what the service does besides: log, counter, tokens, cookies.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { createSigner, createVerifier } from 'fast-jwt'
import { Redis } from 'ioredis'
import pg from 'pg'
import { pino } from 'pino'
import { ROTATE } from '../../../plugins/records/sessions/rotations.ts'
import { createRedisCounters } from '../../../src/counters/redis-counters.ts'

/** Those of the service: the peers have an older version. */
const { parseCookie, stringifySetCookie } = createRequire(new URL('../../../package.json', import.meta.url))('cookie')
const { status, headers, keepAlive, body } = JSON.parse(process.env.RESPONSE as string)
const parts = new Set(process.env.PARTS?.split(','))
const keepAliveTimeout = Number(/timeout=(\d+)/.exec(keepAlive)?.[1]) * 1_000
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const log = pino()
const counters = createRedisCounters(new Redis(process.env.REDIS_URL as string), 'bare:')
const key = randomBytes(64).toString('base64url')
const [sign, verify] = [createSigner({ key }), createVerifier({ key })]
const claims = {
  userId: '1', username: 'user1', exp: 4_000_000_000, jti: randomUUID(), sid: randomUUID(), use: 'refresh', gen: 1,
}
const token = sign(claims)

/** Each connection has a session of its own. */
const sessions = new WeakMap<Socket, { id: string, generation: number }>()
const digest = (text: string) => createHash('sha256').update(text).digest()

async function begin (socket: Socket) {
  const session = { id: randomUUID(), generation: 0 }
  sessions.set(socket, session)
  await pool.query(`
    INSERT INTO refresh_tokens (id, user_id, token, expires_at, signed_in_at)
    VALUES ($1, 1, $2, now() + interval '20 days', now())`, [session.id, digest(`${session.id} 0`)])
  return session
}

async function rotate ({ socket, headers }: IncomingMessage) {
  const session = sessions.get(socket) ?? await begin(socket)
  const { id } = session
  const before = session.generation++
  const now = Math.floor(Date.now() / 1_000)
  const { rowCount } = await pool.query({
    name: 'rotate',
    text: ROTATE,
    values: [
      id, digest(`${id} ${before}`), before + 1, digest(`${id} ${before + 1}`), now, now + 86_400, '127.0.0.1',
      headers['user-agent'], undefined, true, undefined,
    ],
  })
  if (rowCount !== 1) throw new Error('nothing was rotated')
}

async function doParts (request: IncomingMessage) {
  if (parts.has('cookies')) parseCookie(request.headers.cookie ?? '')
  if (parts.has('counter')) await counters.take('session:1', 900_000)
  if (parts.has('tokens')) {
    verify(token)
    for (const use of ['refresh', 'access']) sign({ ...claims, use, jti: randomUUID() })
  }
  if (parts.has('cookies')) {
    const options = { path: '/', httpOnly: true, secure: true, sameSite: 'strict', maxAge: 900 } as const
    for (const name of ['refresh_token', 'access_token']) stringifySetCookie({ name, value: token, ...options })
  }
}

const server = createServer({ keepAliveTimeout }, async function respond (request, response) {
  const began = performance.now()
  await doParts(request)
  await rotate(request)
  response.writeHead(status, headers).end(body)
  if (parts.has('log')) {
    const { method, url } = request
    log.info({ reqId: randomUUID(), req: { method, url }, res: { statusCode: status }, ms: performance.now() - began })
  }
})
server.listen(Number(process.env.PORT))
