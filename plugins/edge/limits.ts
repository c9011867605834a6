import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { newAttempt } from '../../src/counters/counters.ts'
import { TooManyAttempts, TooManyRequests } from '../../src/errors.ts'
import { clientGroup } from '../../src/http/client-address.ts'
import { createAttempts, type StartedAttempt } from '../../src/limits/attempts.ts'
import { limitKeys } from '../../src/limits/keys.ts'
import { limitStore } from '../../src/limits/store.ts'

declare module 'fastify' {
  interface FastifyInstance { limits: ReturnType<typeof createLimits> }
  interface FastifyContextConfig {
    /**
     * `general` counts by user. `anonymous` and `session` have the same figures: `anonymous` counts by client
     * address even if a valid token is sent, and `session` is for the route that rotates refresh tokens.
     */
    limit?: 'login' | 'general' | 'anonymous' | 'session' | 'sensitive'
  }
}

type Attempts = ReturnType<typeof createAttempts>
type Decisions = ReturnType<typeof createDecisions>

/** A browser that has signed in to the account before. */
interface KnownBrowser { id: string, user: { id: string } }

const createDecisions = ({ metrics }: FastifyInstance) =>
  metrics.counter('gatehouse_limit_decisions_total', 'Requests that a limit let pass or refused', {
    limit: ['login', 'account', 'general', 'anonymous', 'session', 'sensitive'],
    outcome: ['passed', 'refused'],
  })

/** All known browsers of one account together may fail this many times as often as strangers. */
const KNOWN_BROWSERS_FACTOR = 4

/**
 * The limits on guesses at a password. @fastify/rate-limit has no attempts that are undecided,
 * and runs one limiter a request.
 */
function createLimits (app: FastifyInstance, count: Decisions) {
  const { counters, config } = app
  const account = {
    windowSeconds: config.LIMIT_ACCOUNT_WINDOW,
    onDecision: (outcome: 'passed' | 'refused') => count({ limit: 'account', outcome }),
  }
  const byClient = createAttempts(counters, {
    max: config.LIMIT_LOGIN_MAX,
    windowSeconds: config.LIMIT_LOGIN_WINDOW,
    onDecision: outcome => count({ limit: 'login', outcome }),
  })
  const byAccount = createAttempts(counters, { max: config.LIMIT_ACCOUNT_MAX, ...account })
  const byKnownBrowsers = createAttempts(counters, {
    max: config.LIMIT_ACCOUNT_MAX * KNOWN_BROWSERS_FACTOR,
    ...account,
  })
  const underWay = new WeakMap<FastifyRequest, Array<[Attempts, StartedAttempt]>>()
  const checked = new WeakSet<FastifyRequest>()

  async function begin (request: FastifyRequest, attempts: Attempts, key: string, turn: AbortSignal) {
    const started = await attempts.begin(key, turn)
    underWay.set(request, [...underWay.get(request) ?? [], [attempts, started]])
    return started
  }

  /** Ends the attempts of a request, each once. */
  function takeUnderWay (request: FastifyRequest): Array<[Attempts, StartedAttempt]> {
    const list = underWay.get(request) ?? []
    underWay.delete(request)
    return list
  }

  async function beginAccount (
    request: FastifyRequest,
    login: string,
    browser: KnownBrowser | undefined,
    turn: AbortSignal
  ) {
    await begin(request, byAccount, limitKeys.account(login, browser?.id), turn)
    if (browser) await begin(request, byKnownBrowsers, limitKeys.knownBrowsers(browser.user.id), turn)
  }

  return {
    /** Before a login is checked. Waits for its turn while others of this client are under way. */
    async beginLogin (
      request: FastifyRequest,
      reply: FastifyReply,
      login: string,
      browser: KnownBrowser | undefined,
      turn: AbortSignal
    ) {
      const key = browser ? limitKeys.knownBrowser(browser.id, browser.user.id) : limitKeys.login(request.ip)
      reply.headers(byClient.headers({ failed: 0, resetMs: 0 }))
      reply.headers(byClient.headers(await begin(request, byClient, key, turn)))
      await beginAccount(request, login, browser, turn)
    },

    /** Before the password of the signed-in user is checked again. */
    beginAccount,

    /** The password was compared: from now on only a success does not count. */
    markChecked (request: FastifyRequest) {
      checked.add(request)
    },

    async succeed (request: FastifyRequest) {
      await Promise.all(takeUnderWay(request).map(([attempts, attempt]) => attempts.release(attempt)))
    },

    /** Counts where a password was compared: otherwise failing writes would allow unlimited guesses. */
    async settle (request: FastifyRequest, reply: FastifyReply) {
      if (!checked.has(request)) return this.succeed(request)
      await Promise.all(takeUnderWay(request).map(async ([attempts, attempt]) => {
        const failures = await attempts.fail(attempt)
        if (attempts === byClient) reply.headers(attempts.headers(failures))
      }))
    },

    /** A request that is no login at all counts for its address. */
    async countMalformed (request: FastifyRequest, reply: FastifyReply) {
      reply.headers(byClient.headers(await byClient.fail(newAttempt(limitKeys.login(request.ip)))))
    },
  }
}

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
  const limits = createLimits(app, count)
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
