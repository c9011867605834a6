import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createAttempts, secondsLeft } from '../src/attempts.ts'
import { clientGroup } from '../src/client-address.ts'
import { digest } from '../src/digest.ts'
import { TooManyAttempts, TooManyRequests, Unavailable } from '../src/errors.ts'
import { limitStore } from '../src/limit-store.ts'
import { foldLogin } from '../src/login-name.ts'

declare module 'fastify' {
  interface FastifyInstance { limits: ReturnType<typeof createLimits> }
  interface FastifyContextConfig {
    /** `session` has the figures of `general`, for the route that trades refresh tokens. */
    limit?: 'general' | 'session' | 'sensitive'
  }
}

/** The two limits of POST /login. @fastify/rate-limit cannot give back, and runs one limiter a request. */
function createLimits (app: FastifyInstance) {
  const { cache: { counters }, config, devices } = app
  const byAddress = createAttempts(counters, config.LIMIT_LOGIN_MAX, config.LIMIT_LOGIN_WINDOW)
  const byAccount = createAttempts(counters, config.LIMIT_ACCOUNT_MAX, config.LIMIT_ACCOUNT_WINDOW)

  return {
    login: {
      /** For `onRequest`: one of five is gone before anything else happens, however many come at once. */
      async take (request: FastifyRequest, reply: FastifyReply) {
        reply.header('ratelimit-limit', config.LIMIT_LOGIN_MAX)
        const attempt = await byAddress.take(request, `login:${clientGroup(request.ip)}`)
        reply.headers({ 'ratelimit-remaining': config.LIMIT_LOGIN_MAX - attempt.count, 'ratelimit-reset': secondsLeft(attempt) })
      },

      async giveBack (request: FastifyRequest, reply: FastifyReply) {
        const attempt = await byAddress.giveBack(request)
        if (attempt) reply.header('ratelimit-remaining', config.LIMIT_LOGIN_MAX - attempt.count + 1)
      },
    },

    account: {
      /** By the login as typed, so that an account that does not exist is limited like one that does. */
      async take (request: FastifyRequest, login: string) {
        const account = digest(foldLogin(login)).toString('base64url')
        await byAccount.take(request, `account:${account}:${devices.idFor(request, login) ?? 'any'}`)
      },

      async giveBack (request: FastifyRequest) {
        await byAccount.giveBack(request)
      },
    },
  }
}

function createPolicies ({ config, tokens }: FastifyInstance) {
  const general = (who: (cookies: FastifyRequest['cookies']) => string | undefined): RateLimitOptions => ({
    max: config.LIMIT_GENERAL_MAX,
    timeWindow: config.LIMIT_GENERAL_WINDOW * 1_000,
    keyGenerator: ({ cookies, ip }) => `general:${who(cookies) ?? clientGroup(ip)}`,
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
      keyGenerator: ({ ip }: FastifyRequest) => `sensitive:${clientGroup(ip)}`,
      errorResponseBuilder: () => new TooManyAttempts(),
    },
  }
}

export default fp(async function (app) {
  const policies = createPolicies(app)
  const limits = createLimits(app)
  app.decorate('limits', limits)
  // Where nothing was checked, nothing was guessed.
  app.addHook('onError', async function giveBackUnchecked (request, reply, error) {
    if (!(error instanceof Unavailable)) return
    await limits.login.giveBack(request, reply)
    await limits.account.giveBack(request)
  })
  app.addHook('onRoute', function attachLimit (route) {
    const limit = route.config?.limit
    if (!limit) return
    route.config = { ...route.config, rateLimit: policies[limit] }
    // @fastify/rate-limit adds to this list, which routes may share.
    route.onRequest = [route.onRequest ?? []].flat()
  })
  await app.register(rateLimit, { global: false, store: limitStore(app.cache.counters), enableDraftSpec: true })
}, { name: 'limits', dependencies: ['cache', 'cookies', 'devices', 'tokens'] })
