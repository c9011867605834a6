import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { visits, type Visit } from '../../src/openid/visit.ts'

declare module 'fastify' {
  interface FastifyInstance { publicRequests: ReturnType<typeof createPublicRequests> }
}

class TooManyPublicRequests extends HttpError {
  constructor (seconds: number) {
    super(429, 'Please slow down', 'Too many requests', { headers: { 'retry-after': seconds } })
  }
}

/**
 * Pushed requests and codes for devices, of applications that need not say who they are: anyone can have them stored.
 * A visit of a browser follows each, so that they count like one.
 */
function createPublicRequests ({ config, counters }: FastifyInstance) {
  const { max, windowSeconds } = figuresOf(LIMITS.openid, config)

  return {
    /** Throws a 429 if there were too many from this address. */
    async count () {
      const visit = visits.getStore() as Visit<unknown, unknown, never, { kind: string }> | undefined
      const { clientId = '' } = visit?.ctx?.oidc.client ?? {}
      if (visit?.applications.get(clientId)?.kind !== 'public') return
      const { count, resetMs } = await counters.take(LIMITS.openid.key(visit.request.ip), windowSeconds * 1_000)
      if (count > max) throw new TooManyPublicRequests(Math.ceil(resetMs / 1_000))
    },
  }
}

export default fp(async function (app) {
  app.decorate('publicRequests', createPublicRequests(app))
}, { name: 'public-requests', dependencies: ['counters'] })
