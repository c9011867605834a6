import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import type { Visit } from '../../src/openid/visit.ts'

declare module 'fastify' {
  interface FastifyInstance { wrongClients: ReturnType<typeof createWrongClients> }
}

class TooManyWrongClients extends HttpError {
  constructor (seconds: number) {
    super(429, 'Too many requests with a wrong client id or secret.', 'Too many requests',
      { headers: { 'retry-after': seconds } })
  }
}

/** Requests of applications that could not say who they are. */
function createWrongClients ({ config, counters }: FastifyInstance) {
  const { max, windowSeconds } = figuresOf(LIMITS.wrongClients, config)

  return {
    /** Throws a 429 instead of the answer if there were too many from this address. */
    async count ({ ctx, request }: Visit) {
      const { error } = (ctx?.body ?? {}) as { error?: string }
      if (error !== 'invalid_client') return
      const { count, resetMs } = await counters.take(LIMITS.wrongClients.key(request.ip), windowSeconds * 1_000)
      if (count > max) throw new TooManyWrongClients(Math.ceil(resetMs / 1_000))
    },
  }
}

export default fp(async function (app) {
  app.decorate('wrongClients', createWrongClients(app))
}, { name: 'wrong-clients', dependencies: ['counters'] })
