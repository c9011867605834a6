import csrfProtection from '@fastify/csrf-protection'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import fp from 'fastify-plugin'
import type { CheckedUser, OperatorSession } from '../../plugins/records/operators/operator-sessions.ts'
import { FreshProofRequired, LoginStepOver } from '../../src/factors/errors.ts'
import { factorMethods } from '../../src/factors/methods.ts'
import { ApiKeyRequired } from '../../src/operators/errors.ts'

declare module 'fastify' {
  interface FastifyInstance { operatorSession: ReturnType<typeof createOperatorSession> }
}

const COOKIE = 'operator_session'
const SAFE_METHODS = ['GET', 'HEAD']

/** The session of an operator in a browser: its cookie, its CSRF token and its fresh proof. */
function createOperatorSession (app: FastifyInstance, attributes: CookieSerializeOptions) {
  const { config, factors, operatorSessions } = app

  return {
    async read ({ cookies }: FastifyRequest): Promise<OperatorSession | undefined> {
      const value = cookies[COOKIE]
      return value ? operatorSessions.use(value) : undefined
    },

    isFresh: ({ secondsSinceProof }: OperatorSession): boolean => secondsSinceProof < config.FRESH_SECONDS,

    /** For `onRequest`: 403 for a change with the cookie of a session, but without a CSRF token of that session. */
    requireToken (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) {
      if (SAFE_METHODS.includes(request.method) || request.cookies[COOKIE] === undefined) done()
      else app.csrfProtection(request, reply, done)
    },

    /** 403 for a request that changes something, unless the operator proved who they are within FRESH_SECONDS. */
    async requireFresh ({ method }: FastifyRequest, { userId, secondsSinceProof }: OperatorSession) {
      if (SAFE_METHODS.includes(method) || secondsSinceProof < config.FRESH_SECONDS) return
      throw new FreshProofRequired(factorMethods(await factors.of(userId)))
    },

    /** For a user who has proved who they are with two factors. */
    async open (user: CheckedUser, reply: FastifyReply) {
      const value = await operatorSessions.open(user)
      if (!value) throw new LoginStepOver()
      reply.setCookie(COOKIE, value, attributes)
    },

    /** The operator proved once more who they are: the session goes on with another cookie. */
    async prove (id: string, { cookies }: FastifyRequest, reply: FastifyReply) {
      const value = await operatorSessions.prove(id, cookies[COOKIE] ?? '')
      if (!value) throw new ApiKeyRequired()
      reply.setCookie(COOKIE, value, attributes)
    },

    clear (reply: FastifyReply) {
      reply.clearCookie(COOKIE, attributes)
    },
  }
}

export default fp(async function (app) {
  const { config, cookieScope } = app
  const isHttps = config.PUBLIC_URL.startsWith('https:')
  const attributes = { path: cookieScope.path, httpOnly: true, sameSite: 'strict', secure: isHttps } as const
  // The random value of the session cookie is the secret of its CSRF tokens: they end with the session.
  await app.register(csrfProtection, {
    cookieKey: COOKIE,
    cookieOpts: attributes,
    getToken: ({ headers }) => headers['x-csrf-token'] as string | undefined,
  })
  app.decorate('csrfTokenPath', '/operator/api/v1/session')
  app.decorate('operatorSession', createOperatorSession(app, attributes))
}, { name: 'operator-session' })
