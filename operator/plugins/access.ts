import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { KeyRequired, ScopeRequired, TooManyWrongKeys } from '../../src/operators/errors.ts'
import type { Scope } from '../../src/operators/scopes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * For `onRequest`: a key with the scope, or the session of an operator, who may do everything and must have
     * proved who they are for a change. 401 without either. Sets `request.actor`.
     */
    allow (scope: Scope): onRequestAsyncHookHandler
  }
  interface FastifyRequest {
    /** Who sent the request, as events record it: `key billing` or `operator ada`. */
    actor: string
  }
}

function createAccess ({ apiKeys, config, counters, operatorSession }: FastifyInstance) {
  const wrongKeys = figuresOf(LIMITS.wrongApiKeys, config)

  async function refuse ({ ip }: FastifyRequest): Promise<never> {
    const { count, resetMs } = await counters.take(LIMITS.wrongApiKeys.key(ip), wrongKeys.windowSeconds * 1_000)
    if (count > wrongKeys.max) throw new TooManyWrongKeys(Math.ceil(resetMs / 1_000))
    throw new KeyRequired()
  }

  async function actorOfKey (request: FastifyRequest, scope: Scope): Promise<string> {
    const value = request.headers.authorization?.match(/^Bearer (gh_[\w-]{43})$/i)?.[1]
    const key = value && await apiKeys.use(value)
    if (!key) return refuse(request)
    if (!key.scopes.includes(scope)) throw new ScopeRequired(scope)
    return `key ${key.name}`
  }

  async function actorOfSession (request: FastifyRequest): Promise<string> {
    const session = await operatorSession.read(request)
    if (!session) throw new KeyRequired()
    operatorSession.requireToken(request, session)
    await operatorSession.requireFresh(request, session)
    return `operator ${session.username}`
  }

  return function allow (scope: Scope): onRequestAsyncHookHandler {
    return async function requireAccess (request) {
      const isPage = request.headers.authorization === undefined && request.cookies.operator_session !== undefined
      request.actor = isPage ? await actorOfSession(request) : await actorOfKey(request, scope)
    }
  }
}

export default fp(async function (app) {
  app.decorateRequest('actor', '')
  app.decorate('allow', createAccess(app))
}, { name: 'access', dependencies: ['operator-session'] })
