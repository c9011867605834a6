import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import type { User } from '../records/accounts/users.ts'
import { strictCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { loginSteps: ReturnType<typeof createLoginSteps> }
}

/** How the first step was done: with a password or through a provider. */
type FirstStep = 'pwd' | 'ext'

export interface LoginStep { id: string, user: User, first: FirstStep }

/** From the first step to the last try of the second one, in seconds. */
const LIFETIME = 5 * 60
const MAX_TRIES = 5
const COOKIE = 'login_step'

/**
 * A login that waits for its second factor. Only the signed cookie knows it: `id.userId.first.expiry.mark`.
 * The mark binds it to the account, its password and its factors: a change of either ends it.
 */
function createLoginSteps (app: FastifyInstance) {
  const { config, counters, users } = app
  const keys = keysFor('login-steps', config)
  const attributes = { ...strictCookie(config.NODE_ENV === 'production'), signed: true }

  function marksOf (parts: string[], { passwordHash, factorsVersion }: User): Buffer[] {
    const text = [...parts, factorsVersion, passwordHash ?? ''].join(' ')
    return keys.map(key => createHmac('sha256', key).update(text).digest())
  }

  const isOf = (mark: string, marks: Buffer[]) => {
    const given = Buffer.from(mark, 'base64url')
    return marks.some(expected => expected.length === given.length && timingSafeEqual(expected, given))
  }

  return {
    begin (user: User, first: FirstStep, reply: FastifyReply) {
      const expiry = Math.floor(Date.now() / 1_000) + LIFETIME
      const parts = [randomBytes(16).toString('base64url'), user.id, first, String(expiry)]
      const [mark] = marksOf(parts, user) as [Buffer]
      const value = [...parts, mark.toString('base64url')].join('.')
      const { prefix, path } = reply.server.cookieScope
      reply.setCookie(prefix + COOKIE, value, { ...attributes, path, maxAge: LIFETIME })
    },

    /** The login that this browser began, if it can still be finished. */
    async find (request: FastifyRequest): Promise<LoginStep | undefined> {
      const { valid, value } = request.unsignCookie(request.cookies[request.server.cookieScope.prefix + COOKIE] ?? '')
      const parts = valid ? value.split('.') : []
      const [id, userId, first, expiry, mark] = parts
      if (parts.length !== 5 || !id || !userId || !mark || Number(expiry) * 1_000 <= Date.now()) return undefined
      const user = await users.findById(userId)
      if (!user || !users.canSignIn(user) || !isOf(mark, marksOf(parts.slice(0, 4), user))) return undefined
      return { id, user, first: first as FirstStep }
    },

    /** Counts a try. Returns false if the step had all of its tries. */
    async takeTry ({ id }: LoginStep): Promise<boolean> {
      const { count } = await counters.take(`login-step-tries:${id}`, LIFETIME * 1_000)
      return count <= MAX_TRIES
    },

    /** Returns false if the step was used before. */
    async use ({ id }: LoginStep): Promise<boolean> {
      const { count } = await counters.take(`login-step:${id}`, LIFETIME * 1_000)
      return count === 1
    },

    clear (reply: FastifyReply) {
      const { prefix, path } = reply.server.cookieScope
      reply.clearCookie(prefix + COOKIE, { ...attributes, path })
    },
  }
}

export default fp(async function (app) {
  app.decorate('loginSteps', createLoginSteps(app))
}, { name: 'login-steps', dependencies: ['cookies', 'counters', 'users'] })
