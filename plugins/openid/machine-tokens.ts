import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'

declare module 'fastify' {
  interface FastifyInstance { machineTokens: ReturnType<typeof createMachineTokens> }
}

class TooManyTokens extends HttpError {
  constructor (seconds: number) {
    super(429, 'Too many tokens. Use each until it expires.', 'Too many requests',
      { headers: { 'retry-after': seconds } })
  }
}

/** Tokens of machines, for each machine: after it has authenticated, so that no other can use up its share. */
function createMachineTokens ({ config, counters, metrics }: FastifyInstance) {
  const { max, windowSeconds } = figuresOf(LIMITS.machines, config)
  const decide = metrics.counter('gatehouse_openid_machine_tokens_total', 'Requests of machines for tokens', {
    outcome: ['issued', 'refused'],
  })

  return {
    /** Throws a 429 if there were too many. */
    async count (clientId: string) {
      const { count, resetMs } = await counters.take(LIMITS.machines.key(clientId), windowSeconds * 1_000)
      decide({ outcome: count > max ? 'refused' : 'issued' })
      if (count > max) throw new TooManyTokens(Math.ceil(resetMs / 1_000))
    },
  }
}

export default fp(async function (app) {
  app.decorate('machineTokens', createMachineTokens(app))
}, { name: 'machine-tokens', dependencies: ['counters', 'metrics'] })
