import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { BoundedMap } from '../../src/openid/bounded-map.ts'
import type { Visit } from '../../src/openid/visit.ts'

declare module 'fastify' {
  interface FastifyInstance { applicationUse: ReturnType<typeof createApplicationUse> }
}

const ENDPOINTS = [
  'token', 'userinfo', 'introspection', 'revocation', 'pushed_authorization_request', 'device_authorization',
] as const
type Endpoint = typeof ENDPOINTS[number]

/** The database stores the minute in which an application was last used: it is written no more often. */
const INTERVAL = 60_000
const MAX_NOTED = 1_000

/** What applications do: counted, noted for operators, and recorded if a refresh token was used twice. */
function createApplicationUse ({ applications, events, metrics }: FastifyInstance) {
  const notedAt = new BoundedMap<string, number>(MAX_NOTED)
  const count = metrics.counter(
    'gatehouse_openid_requests_total',
    'Requests of applications to the OpenID provider, by endpoint and outcome',
    { endpoint: ENDPOINTS, outcome: ['answered', 'refused'] }
  )

  async function noteUse (id: string) {
    const now = performance.now()
    if (now - (notedAt.get(id) ?? -Infinity) < INTERVAL) return
    notedAt.set(id, now)
    await applications.markUsed(id)
  }

  return {
    /** After the provider has computed its response. */
    async note ({ applications: known, ctx, request }: Visit<unknown, unknown, never, { id: string }>) {
      if (!ctx?.oidc) return
      const { Client: client, RefreshToken: token } = ctx.oidc.entities
      const isAnswered = ctx.status < 400
      const endpoint = ctx.oidc.route as Endpoint
      if (ENDPOINTS.includes(endpoint)) count({ endpoint, outcome: isAnswered ? 'answered' : 'refused' })
      if (!client) return
      const { id = client.clientId } = known.get(client.clientId) ?? {}
      if (isAnswered) await noteUse(id)
      if (token?.consumed && endpoint === 'token') {
        await events.record('application_token_reused', request, token.accountId, undefined, id)
      }
    },
  }
}

export default fp(async function (app) {
  app.decorate('applicationUse', createApplicationUse(app))
}, { name: 'application-use', dependencies: ['applications', 'events', 'metrics'] })
