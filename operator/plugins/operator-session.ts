import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Forbidden } from '../../src/errors.ts'
import { FreshProofRequired, LoginStepOver } from '../../src/factors/errors.ts'
import { factorMethods } from '../../src/factors/methods.ts'
import { keysFor } from '../../src/secrets/derived-keys.ts'

declare module 'fastify' {
  interface FastifyInstance { operatorSession: ReturnType<typeof createOperatorSession> }
}

interface Session { id: string, userId: string, username: string, secondsSinceProof: number }

const COOKIE = 'operator_session'
const SAFE_METHODS = ['GET', 'HEAD']

/** The session of an operator in a browser: its cookie, its CSRF token and its fresh proof. */
function createOperatorSession ({ config, cookieScope, factors, operatorSessions }: FastifyInstance) {
  const isHttps = config.PUBLIC_URL.startsWith('https:')
  const attributes = { path: cookieScope.path, httpOnly: true, sameSite: 'strict', secure: isHttps } as const
  const keys = keysFor('operator-csrf', config)
  const tokensOf = ({ id }: Session) => keys.map(key => createHmac('sha256', key).update(id).digest())

  function isOwnToken (given: unknown, session: Session): boolean {
    const token = Buffer.from(String(given ?? ''), 'base64url')
    return tokensOf(session).some(own => own.length === token.length && timingSafeEqual(own, token))
  }

  async function read ({ cookies }: FastifyRequest): Promise<Session | undefined> {
    const value = cookies[COOKIE]
    return value ? operatorSessions.use(value) : undefined
  }

  return {
    read,
    csrfTokenOf: (session: Session): string => (tokensOf(session)[0] as Buffer).toString('base64url'),
    isFresh: ({ secondsSinceProof }: Session): boolean => secondsSinceProof < config.FRESH_SECONDS,

    /** 403 for a request that changes something without the token of this session. */
    requireToken ({ method, headers }: FastifyRequest, session: Session) {
      if (SAFE_METHODS.includes(method) || isOwnToken(headers['x-csrf-token'], session)) return
      throw new Forbidden('Send the token from GET /operator/api/v1/session in the X-CSRF-Token header.')
    },

    /** 403 for a request that changes something, unless the operator proved who they are within FRESH_SECONDS. */
    async requireFresh ({ method }: FastifyRequest, { userId, secondsSinceProof }: Session) {
      if (SAFE_METHODS.includes(method) || secondsSinceProof < config.FRESH_SECONDS) return
      throw new FreshProofRequired(factorMethods(await factors.of(userId)))
    },

    /** For a user who has proved who they are with two factors. */
    async open (user: { id: string, factorsVersion: number }, reply: FastifyReply) {
      const value = await operatorSessions.open(user)
      if (!value) throw new LoginStepOver()
      reply.setCookie(COOKIE, value, attributes)
    },

    clear (reply: FastifyReply) {
      reply.clearCookie(COOKIE, attributes)
    },
  }
}

export default fp(async function (app) {
  app.decorate('operatorSession', createOperatorSession(app))
}, { name: 'operator-session' })
