import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { Counters } from '../counters/counters.ts'

/** What @fastify/rate-limit counts in: our counters, so that every limit survives the loss of Redis in the same way. */
export function limitStore (counters: Counters): FastifyRateLimitStoreCtor {
  return class implements FastifyRateLimitStore {
    incr: FastifyRateLimitStore['incr'] = function (key, done, windowMs) {
      counters.take(key, windowMs).then(({ count, resetMs }) => done(null, { current: count, ttl: resetMs }), done)
    }

    child () {
      return this
    }
  }
}
