import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { createUses } from '../../src/limits/uses.ts'
import { keyActor, operatorActor } from '../../src/operators/actors.ts'
import {
  ApiKeyRequired, OperatorSessionRequired, RoleRequired, ScopeRequired, TooManyWrongApiKeys,
} from '../../src/operators/errors.ts'
import { hasRight, RIGHTS, type Right, type Role } from '../../src/operators/roles.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * For `onRequest`: a key with the scope of the right, or an operator whose role has it. In a browser, operators
     * must have proved who they are for a change. 401 without either. Sets `request.actor`.
     */
    allow (right: Right): AccessHooks
  }
  interface FastifyRequest {
    /** Who sent the request, as events record it: `key billing`, `operator ada` or `support ada`. */
    actor: string
  }
}

type AccessHooks = Array<onRequestHookHandler | onRequestAsyncHookHandler>

/** A token of the command line is shorter, whatever it begins with. */
const KEY = /^gh_[\w-]{43}$/

/** The page has no API key. */
const isFromPage = ({ cookies, headers }: FastifyRequest) =>
  headers.authorization === undefined && cookies.operator_session !== undefined

function actorOf ({ username, role }: { username: string, role: Role }, right: Right): string {
  if (!hasRight(role, right)) throw new RoleRequired(role, right)
  return operatorActor(username, role)
}

function createAccess ({ apiKeys, commandLineSignIns, config, counters, operatorSession }: FastifyInstance) {
  const countWrongKey = createUses(counters, {
    ...figuresOf(LIMITS.wrongApiKeys, config),
    refusal: seconds => new TooManyWrongApiKeys(seconds),
  })

  async function refuse ({ ip }: FastifyRequest): Promise<never> {
    await countWrongKey(LIMITS.wrongApiKeys.key(ip))
    throw new ApiKeyRequired()
  }

  /** An operator who signed in with `gatehouse login`, or a key. */
  async function actorOfToken (request: FastifyRequest, right: Right): Promise<string> {
    const value = request.headers.authorization?.match(/^Bearer ([\w-]{43,46})$/i)?.[1]
    if (value && !KEY.test(value)) {
      const operator = await commandLineSignIns.find(value)
      if (!operator) return refuse(request)
      if (RIGHTS[right].needsProof) throw new OperatorSessionRequired()
      return actorOf(operator, right)
    }
    const key = value ? await apiKeys.use(value) : undefined
    if (key?.isSuspended) {
      request.log.warn({ key: key.name }, 'this key waits to be confirmed after a restore: gatehouse restored confirm')
    }
    if (!key || key.isSuspended) return refuse(request)
    const { key: scope } = RIGHTS[right]
    if (!scope) throw new OperatorSessionRequired()
    if (!key.scopes.includes(scope)) throw new ScopeRequired(scope)
    return keyActor(key.name)
  }

  async function actorOfSession (request: FastifyRequest, right: Right): Promise<string> {
    const session = await operatorSession.read(request)
    if (!session) throw new ApiKeyRequired()
    const actor = actorOf(session, right)
    await operatorSession.requireFresh(request, session)
    return actor
  }

  const requireToken: onRequestHookHandler = function (request, reply, done) {
    if (isFromPage(request)) operatorSession.requireToken(request, reply, done)
    else done()
  }

  return function allow (right: Right): AccessHooks {
    async function requireAccess (request: FastifyRequest) {
      request.actor = await (isFromPage(request) ? actorOfSession : actorOfToken)(request, right)
    }
    return [requireToken, requireAccess]
  }
}

export default fp(async function (app) {
  app.decorateRequest('actor', '')
  app.decorate('allow', createAccess(app))
}, { name: 'access', dependencies: ['operator-session'] })
