import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { limitOf } from '../../../../../schemas/operator/common.ts'
import { SearchUsersSchema } from '../../../../../schemas/operator/users.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, userSearch } = app

  app.get('', { schema: SearchUsersSchema, onRequest: allow('users:read') }, async function searchUsers ({ query }) {
    const { q, cursor } = query
    return q ? userSearch.find(q, limitOf(query), cursor) : userSearch.newest(limitOf(query), cursor)
  })
}

export default routes
