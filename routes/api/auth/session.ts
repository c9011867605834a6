import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SessionStateSchema } from '../../../schemas/signed-in.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { tokens } = app

  /** For public pages: never a 401, which browsers log in their console. Queries neither PostgreSQL nor Redis. */
  app.get('/session', { schema: SessionStateSchema }, async function getSessionState (request) {
    const access = tokens.accessOf(request)
    return {
      user: access && !access.enrol ? { id: access.userId, username: access.username } : null,
      expiresIn: access ? access.exp - Math.floor(Date.now() / 1000) : 0,
      renewable: tokens.refreshOf(request) !== undefined,
      ...(access?.enrol && { mustEnrol: true }),
    }
  })
}

export default routes
