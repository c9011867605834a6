import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { TooManyAttempts, TooManyRequests } from '../../src/errors.ts'
import { clientGroup } from '../../src/edge/client-address.ts'
import { createPasswordLimits } from '../../src/limits/password-limits.ts'
import { limitKeys } from '../../src/limits/keys.ts'
import { limitStore } from '../../src/limits/store.ts'

declare module 'fastify' {
  interface FastifyInstance { limits: ReturnType<typeof createPasswordLimits> }
  interface FastifyContextConfig {
    /**
     * `general` counts by user. `anonymous` and `session` have the same figures: `anonymous` counts by client
     * address even if a valid token is sent, and `session` is for the route that rotates refresh tokens.
     */
    limit?: 'login' | 'general' | 'anonymous' | 'session' | 'sensitive'
  }
}

const createDecisions = ({ metrics }: FastifyInstance) =>
  metrics.counter('gatehouse_limit_decisions_total', 'Requests that a limit let pass or refused', {
    limit: ['login', 'account', 'general', 'anonymous', 'session', 'sensitive'],
    outcome: ['passed', 'refused'],
  })

function createPolicies ({ config, tokens }: FastifyInstance) {
  const general = (client: (cookies: FastifyRequest['cookies']) => string | undefined): RateLimitOptions => ({
    max: config.LIMIT_GENERAL_MAX,
    timeWindow: config.LIMIT_GENERAL_WINDOW * 1_000,
    keyGenerator: ({ cookies, ip }) => limitKeys.general(client(cookies) ?? clientGroup(ip)),
    errorResponseBuilder: () => new TooManyRequests(),
  })

  return {
    general: general(function user ({ access_token: value }) {
      const claims = tokens.read(value, 'access')
      return claims && `user:${claims.userId}`
    }),
    // One person may have many accounts: a token must not give a count of its own.
    anonymous: general(() => undefined),
    session: general(function session ({ refresh_token: value }) {
      const claims = tokens.read(value, 'refresh')
      return claims && `session:${claims.sid}`
    }),
    sensitive: {
      max: config.LIMIT_SENSITIVE_MAX,
      timeWindow: config.LIMIT_SENSITIVE_WINDOW * 1_000,
      keyGenerator: ({ ip }: FastifyRequest) => limitKeys.sensitive(ip),
      errorResponseBuilder: () => new TooManyAttempts(),
    },
  }
}

const isMalformed = ({ code, validation }: FastifyError) => validation !== undefined || /^FST_ERR_CTP/.test(code)

export default fp(async function (app) {
  const policies = createPolicies(app)
  const count = createDecisions(app)
  const limits = createPasswordLimits({ counters: app.counters, config: app.config, count })
  app.decorate('limits', limits)
  app.addHook('onError', async function settleAttempts (request, reply, error) {
    if (request.routeOptions.config.limit === 'login' && isMalformed(error)) await limits.countMalformed(request, reply)
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
}, { name: 'limits', dependencies: ['counters', 'cookies', 'metrics', 'tokens'] })
