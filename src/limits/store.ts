import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { Counters } from '../counters/counters.ts'

/** Lets @fastify/rate-limit use our counters, so that every limit handles a Redis outage in the same way. */
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
