import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createAttempts, secondsLeft } from '../../src/limits/attempts.ts'
import { clientGroup } from '../../src/http/client-address.ts'
import { TooManyAttempts, TooManyRequests, Unavailable } from '../../src/errors.ts'
import { limitKeys } from '../../src/limits/keys.ts'
import { limitStore } from '../../src/limits/store.ts'

declare module 'fastify' {
  interface FastifyInstance { limits: ReturnType<typeof createLimits> }
  interface FastifyContextConfig {
    /** `session` has the settings of `general` and counts by session: for the refresh route. */
    limit?: 'general' | 'session' | 'sensitive'
  }
}

type CountDecision = ReturnType<typeof createDecisionCounter>

const createDecisionCounter = ({ metrics }: FastifyInstance) => metrics.counter(
  'gatehouse_limit_decisions_total',
  'Requests that a rate limit allowed (passed) or refused',
  { limit: ['login', 'account', 'general', 'session', 'sensitive'], outcome: ['passed', 'refused'] }
)

/**
 * The limits on wrong passwords: `login`, for each client address, guards POST /login; `account`, for each login name,
 * guards every route that checks a password. Both count before the check and give back on success,
 * which @fastify/rate-limit cannot do. It also runs only one limiter in each request.
 */
function createLimits (app: FastifyInstance, count: CountDecision) {
  const { counters, config, knownBrowsers } = app
  const byAddress = createAttempts(
    counters,
    config.LIMIT_LOGIN_MAX,
    config.LIMIT_LOGIN_WINDOW,
    outcome => count({ limit: 'login', outcome })
  )
  const byAccount = createAttempts(
    counters,
    config.LIMIT_ACCOUNT_MAX,
    config.LIMIT_ACCOUNT_WINDOW,
    outcome => count({ limit: 'account', outcome })
  )
  const checked = new WeakSet<FastifyRequest>()

  return {
    login: {
      /** For `onRequest`: counts the attempt first, so that concurrent requests cannot exceed the limit. */
      async take (request: FastifyRequest, reply: FastifyReply) {
        reply.header('ratelimit-limit', config.LIMIT_LOGIN_MAX)
        const attempt = await byAddress.take(request, limitKeys.login(request.ip))
        reply.headers({
          'ratelimit-remaining': config.LIMIT_LOGIN_MAX - attempt.count,
          'ratelimit-reset': secondsLeft(attempt),
        })
      },
    },

    account: {
      async take (request: FastifyRequest, login: string) {
        await byAccount.take(request, limitKeys.account(login, knownBrowsers.idFor(request, login)))
      },
    },

    /**
     * The password was compared: from here on only a success gives the attempt back,
     * otherwise failing writes would allow unlimited guesses.
     */
    markChecked (request: FastifyRequest) {
      checked.add(request)
    },

    isChecked: (request: FastifyRequest): boolean => checked.has(request),

    /** Gives back the attempts that this request has taken. */
    async giveBack (request: FastifyRequest, reply: FastifyReply) {
      const [attempt] = await Promise.all([byAddress.giveBack(request), byAccount.giveBack(request)])
      if (attempt) reply.header('ratelimit-remaining', config.LIMIT_LOGIN_MAX - attempt.count + 1)
    },
  }
}

function createPolicies ({ config, tokens }: FastifyInstance) {
  const general = (keyOf: (cookies: FastifyRequest['cookies']) => string | undefined): RateLimitOptions => ({
    max: config.LIMIT_GENERAL_MAX,
    timeWindow: config.LIMIT_GENERAL_WINDOW * 1_000,
    keyGenerator: ({ cookies, ip }) => limitKeys.general(keyOf(cookies) ?? clientGroup(ip)),
    errorResponseBuilder: () => new TooManyRequests(),
  })

  return {
    general: general(function user ({ access_token: value }) {
      const claims = tokens.read(value, 'access')
      return claims && `user:${claims.userId}`
    }),
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

export default fp(async function (app) {
  const policies = createPolicies(app)
  const count = createDecisionCounter(app)
  const limits = createLimits(app, count)
  app.decorate('limits', limits)
  // A 503 before the password was compared is not a guess.
  app.addHook('onError', async function giveBackUnchecked (request, reply, error) {
    if (!(error instanceof Unavailable) || limits.isChecked(request)) return
    await limits.giveBack(request, reply)
  })
  app.addHook('onRoute', function attachLimit (route) {
    const limit = route.config?.limit
    if (!limit) return
    route.config = {
      ...route.config,
      rateLimit: {
        ...policies[limit],
        onExceeding: () => count({ limit, outcome: 'passed' }),
        onExceeded: () => count({ limit, outcome: 'refused' }),
      },
    }
    // A copy: @fastify/rate-limit appends to this list, and routes may share one.
    route.onRequest = [route.onRequest ?? []].flat()
  })
  await app.register(rateLimit, { global: false, store: limitStore(app.counters), enableDraftSpec: true })
}, { name: 'limits', dependencies: ['counters', 'cookies', 'known-browsers', 'metrics', 'tokens'] })
