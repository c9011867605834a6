import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ClearLimitsSchema, LimitsSchema } from '../../../../schemas/operator/limits.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, limitsInForce } = app

  app.get('', { schema: LimitsSchema, onRequest: allow('limits:read') }, async function getLimits ({ query }) {
    return limitsInForce.read(query)
  })

  app.delete('', {
    schema: ClearLimitsSchema,
    onRequest: allow('limits:write'),
  }, async function clearLimits ({ actor, query }) {
    return { cleared: await limitsInForce.clear(query, actor) }
  })
}

export const autoPrefix = 'limits'
export default routes
