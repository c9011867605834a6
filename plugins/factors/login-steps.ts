import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { ProviderLink } from '../../src/providers/profile.ts'
import { createMarks } from '../../src/secrets/marks.ts'
import { signedCookie } from '../../src/sessions/signed-cookie.ts'
import type { User } from '../records/accounts/users.ts'
import { strictCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { loginSteps: ReturnType<typeof createLoginSteps> }
}

/** How the first step was done: with a password, through a provider or by mail. */
export type FirstStep = 'pwd' | 'ext' | 'mail'

/** `link`: the user of a provider who will be linked to the account after the second step. */
interface LoginStep { id: string, user: User, first: FirstStep, link?: ProviderLink }

/** From the first step to the last try of the second one, in seconds. */
const LIFETIME = 5 * 60
const MAX_TRIES = 5
const COOKIE = 'login_step'

const encode = (link?: ProviderLink) => link ? Buffer.from(JSON.stringify(link)).toString('base64url') : ''
const decode = (text?: string): ProviderLink | undefined =>
  text ? JSON.parse(Buffer.from(text, 'base64url').toString()) : undefined

/**
 * A login that waits for its second factor. Only the signed cookie knows it: `id.userId.first.expiry.link.mark`.
 * The mark binds it to the account, its password and its factors: a change of either ends it.
 */
function createLoginSteps (app: FastifyInstance) {
  const { config, counters, users } = app
  const marks = createMarks('login-steps', config)
  const attributes = { ...strictCookie(config.NODE_ENV === 'production'), maxAge: LIFETIME }
  const cookieOf = ({ cookieScope: { prefix, path } }: FastifyInstance) =>
    signedCookie(prefix + COOKIE, { ...attributes, path })

  return {
    begin (user: User, first: FirstStep, reply: FastifyReply, link?: ProviderLink) {
      const expiry = Math.floor(Date.now() / 1_000) + LIFETIME
      const parts = [randomBytes(16).toString('base64url'), user.id, first, String(expiry), encode(link)]
      cookieOf(reply.server).write(reply, [...parts, marks.write(parts, user)].join('.'))
    },

    /** The login that this browser began, if it can still be finished. */
    async find (request: FastifyRequest): Promise<LoginStep | undefined> {
      const parts = cookieOf(request.server).read(request)?.split('.') ?? []
      const [id, userId, first, expiry, link, mark] = parts
      if (parts.length !== 6 || !id || !userId || !mark || Number(expiry) * 1_000 <= Date.now()) return undefined
      const user = await users.findById(userId)
      if (!user || !users.canSignIn(user) || !marks.isValid(mark, parts.slice(0, 5), user)) return undefined
      return { id, user, first: first as FirstStep, link: decode(link) }
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
      cookieOf(reply.server).clear(reply)
    },
  }
}

export default fp(async function (app) {
  app.decorate('loginSteps', createLoginSteps(app))
}, { name: 'login-steps', dependencies: ['cookies', 'counters', 'users'] })
