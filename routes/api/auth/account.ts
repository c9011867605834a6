import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AccountSchema } from '../../../schemas/signed-in.ts'
import { Unauthorized } from '../../../src/errors.ts'
import { isPassword } from '../../../src/passwords/no-password.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, users } = app

  /** Reads the account from the database: the token holds only the id and username. */
  app.get('/account', { schema: AccountSchema, onRequest: authenticate }, async function getAccount (request) {
    const user = await users.findById(request.user.userId)
    if (!user) throw new Unauthorized()
    const { language, timeZone } = user
    return { user: users.toPublic(user), language, timeZone, hasPassword: isPassword(user.passwordHash) }
  })
}

export default routes
