import rateLimit, {
  type FastifyRateLimitStore, type FastifyRateLimitStoreCtor, type RateLimitOptions,
} from '@fastify/rate-limit'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Counters } from '../../src/counters/counters.ts'
import { TooManyAttempts, TooManyRequests } from '../../src/errors.ts'
import { HookAway, RefusedByApplication } from '../../src/hooks/errors.ts'
import { createPasswordLimits } from '../../src/limits/password-limits.ts'
import { figuresOf, LIMITS, PASSWORD_LIMITS, type Limit } from '../../src/limits/registry.ts'

declare module 'fastify' {
  interface FastifyInstance {
    limits: ReturnType<typeof createPasswordLimits>
    /** The same with counters of its own, for the listener for operators. */
    operatorLimits: ReturnType<typeof createPasswordLimits>
  }
  interface FastifyContextConfig {
    /**
     * `general` counts by user. `anonymous` and `session` have the same figures: `anonymous` counts by client
     * address even if a valid token is sent, and `session` is for the route that rotates refresh tokens.
     * `reading` is for what an application asks for often: the state of the own account, and tokens.
     */
    limit?: 'login' | keyof Policies
  }
}

type Policies = Record<
  'general' | 'reading' | 'anonymous' | 'session' | 'sensitive' | 'openid' | 'applications' | 'registrations',
  RateLimitOptions
>

function createPolicies ({ config, deviceBinding, tokens }: FastifyInstance): Policies {
  function policy (limit: Limit, keyGenerator: (request: FastifyRequest) => string): RateLimitOptions {
    const { max, windowSeconds } = figuresOf(limit, config)
    return { max, timeWindow: windowSeconds * 1_000, keyGenerator, errorResponseBuilder: () => new TooManyRequests() }
  }

  /** Without a valid token, the request counts for its address. */
  function byUser ({ key }: typeof LIMITS.general) {
    return function keyOf (request: FastifyRequest) {
      const claims = tokens.accessOf(request)
      return claims ? key(claims.userId) : LIMITS.anonymous.key(request.ip)
    }
  }

  return {
    general: policy(LIMITS.general, byUser(LIMITS.general)),
    reading: policy(LIMITS.reading, byUser(LIMITS.reading)),
    // One person may have many accounts: a token must not give a count of its own.
    anonymous: policy(LIMITS.anonymous, ({ ip }) => LIMITS.anonymous.key(ip)),
    session: policy(LIMITS.session, function bySession (request) {
      const claims = tokens.refreshOf(request)
      if (!claims) return LIMITS.anonymous.key(request.ip)
      // A copy of the cookies must not use up what the browser with the key of the device needs.
      const key = deviceBinding.proofOf(request, claims)?.key
      return LIMITS.session.key(key ? `${claims.sid}:${key}` : claims.sid)
    }),
    openid: policy(LIMITS.openid, ({ ip }) => LIMITS.openid.key(ip)),
    applications: policy(LIMITS.applications, ({ ip }) => LIMITS.applications.key(ip)),
    registrations: policy(LIMITS.registrations, ({ ip }) => LIMITS.registrations.key(ip)),
    sensitive: {
      ...policy(LIMITS.sensitive, ({ ip }) => LIMITS.sensitive.key(ip)),
      errorResponseBuilder: () => new TooManyAttempts(),
    },
  }
}

const createDecisions = ({ metrics }: FastifyInstance, policies: Policies) =>
  metrics.counter('gatehouse_limit_decisions_total', 'Requests that a limit let pass or refused', {
    limit: [
      ...Object.values(PASSWORD_LIMITS)
        .flatMap(({ login, account, signIns }) => [login, account, signIns].map(({ name }) => name)),
      ...Object.keys(policies),
    ],
    outcome: ['passed', 'refused'],
  })

/** Lets @fastify/rate-limit use our counters, so that every limit handles a Redis outage in the same way. */
function limitStore (counters: Counters): FastifyRateLimitStoreCtor {
  return class implements FastifyRateLimitStore {
    incr: FastifyRateLimitStore['incr'] = function (key, done, windowMs) {
      counters.take(key, windowMs).then(({ count, resetMs }) => done(null, { current: count, ttl: resetMs }), done)
    }

    child () {
      return this
    }
  }
}

const isMalformed = ({ code, validation }: FastifyError) => validation !== undefined || /^FST_ERR_CTP/.test(code)

export default fp(async function (app) {
  const policies = createPolicies(app)
  const count = createDecisions(app, policies)
  const parts = { counters: app.counters, config: app.config, count }
  const limits = createPasswordLimits({ ...parts, listener: 'public' })
  app.decorate('limits', limits)
  app.decorate('operatorLimits', createPasswordLimits({ ...parts, listener: 'operators' }))
  app.addHook('onError', async function settleAttempts (request, reply, error) {
    if (request.routeOptions.config.limit === 'login' && isMalformed(error)) await limits.countMalformed(request, reply)
    // The proof was right: it was no guess.
    else if (error instanceof RefusedByApplication || error instanceof HookAway) await limits.succeed(request)
    else await limits.settle(request, reply)
  })
  app.addHook('onRoute', function attachLimit (route) {
    const limit = route.config?.limit
    if (!limit || limit === 'login') return
    route.config = {
      ...route.config,
      rateLimit: {
        ...policies[limit],
        onExceeding: () => count({ limit, outcome: 'passed' }),
        onExceeded: () => count({ limit, outcome: 'refused' }),
      },
    }
    // @fastify/rate-limit adds to this list, which routes may share.
    route.onRequest = [route.onRequest ?? []].flat()
  })
  await app.register(rateLimit, { global: false, store: limitStore(app.counters), enableDraftSpec: true })
}, { name: 'limits', dependencies: ['counters', 'cookies', 'device-binding', 'metrics', 'tokens'] })
