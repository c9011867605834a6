import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AccountSchema, SessionStateSchema } from '../../../schemas/account.ts'
import { Unauthorized } from '../../../src/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, tokens, users } = app

  app.get('/account', { schema: AccountSchema, onRequest: authenticate }, async function getAccount (request) {
    const user = await users.findById(request.user.userId)
    if (!user) throw new Unauthorized()
    return { user, hasPassword: user.passwordHash !== null }
  })

  /** For pages that open for everybody: never a 401, which browsers write into the console. Neither database nor cache is asked. */
  app.get('/session', { schema: SessionStateSchema }, async function getSessionState ({ cookies }) {
    const access = tokens.read(cookies.access_token, 'access')
    return {
      user: access ? { id: access.userId, username: access.username } : null,
      expiresIn: access ? access.exp - Math.floor(Date.now() / 1000) : 0,
      renewable: tokens.read(cookies.refresh_token, 'refresh') !== undefined,
    }
  })
}

export default routes
