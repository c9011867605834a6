import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bulkSchema, UserIdsSchema } from '../../../../schemas/operator/bulk.ts'
import { BULK_ACTIONS } from '../../../../src/operators/bulk-actions.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, bulkActions, userIds } = app

  app.get('/ids', { schema: UserIdsSchema, onRequest: allow('users:read') }, async function listUserIds ({ query }) {
    const { after, ...filter } = query
    return userIds.page(filter, after)
  })

  for (const action of BULK_ACTIONS) {
    const name = action.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
    const schema = { ...bulkSchema(action), operationId: `${name}Many` }
    app.post(`/bulk/${action}`, { schema, onRequest: allow('users:bulk') }, async function change ({ actor, body }) {
      return bulkActions.run(action, body.ids, body.filter ?? {}, actor)
    })
  }
}

export const autoPrefix = 'users'
export default routes
