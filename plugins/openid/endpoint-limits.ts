import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { TooManyRequests } from '../../src/errors.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { createUses } from '../../src/limits/uses.ts'
import { visits, type Visit } from '../../src/openid/visit.ts'

declare module 'fastify' {
  interface FastifyInstance { endpointLimits: ReturnType<typeof createEndpointLimits> }
}

/** Limits of the endpoints for applications, beside that of all their requests. Each method throws a 429. */
function createEndpointLimits ({ config, counters, metrics }: FastifyInstance) {
  const countMachineToken = metrics.counter(
    'gatehouse_openid_machine_tokens_total',
    'Requests of machines for tokens',
    { outcome: ['issued', 'refused'] }
  )
  const countMachine = createUses(counters, {
    ...figuresOf(LIMITS.machines, config),
    onDecision: outcome => countMachineToken({ outcome: outcome === 'passed' ? 'issued' : 'refused' }),
    refusal: seconds => new TooManyRequests('Too many tokens. Use each until it expires.', seconds),
  })
  const countPublic = createUses(counters, {
    ...figuresOf(LIMITS.openid, config),
    refusal: seconds => new TooManyRequests('Please slow down', seconds),
  })
  const countWrongClient = createUses(counters, {
    ...figuresOf(LIMITS.wrongClients, config),
    refusal: seconds => new TooManyRequests('Too many requests with a wrong client id or secret.', seconds),
  })

  return {
    /** Tokens of a machine: after it has authenticated, so that no other can use up its share. */
    takeMachineToken: (clientId: string) => countMachine(LIMITS.machines.key(clientId)),

    /**
     * Pushed requests and codes for devices, of applications that need not say who they are: anyone can have them
     * stored. A visit of a browser follows each, so that they count like one, for the client address.
     */
    async takePublicRequest () {
      const visit = visits.getStore() as Visit<unknown, unknown, never, { kind: string }> | undefined
      const { clientId = '' } = visit?.ctx?.oidc.client ?? {}
      if (visit?.applications.get(clientId)?.kind === 'public') await countPublic(LIMITS.openid.key(visit.request.ip))
    },

    /** Instead of the answer, if the application could not say who it is, and too many from this address could not. */
    async takeWrongClient ({ ctx, request }: Visit) {
      const { error } = (ctx?.body ?? {}) as { error?: string }
      if (error === 'invalid_client') await countWrongClient(LIMITS.wrongClients.key(request.ip))
    },
  }
}

export default fp(async function (app) {
  app.decorate('endpointLimits', createEndpointLimits(app))
}, { name: 'endpoint-limits', dependencies: ['counters', 'metrics'] })
