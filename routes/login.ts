import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LoginSchema } from '../schemas/accounts.ts'
import { InvalidCredentials } from '../src/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accounts, events, limits, passwords, signIn, users } = app

  app.post('/login', { schema: LoginSchema, onRequest: limits.login.take }, async function login (request, reply) {
    const { username, password } = request.body
    await limits.account.take(request, username)

    const user = await users.findByLogin(username)
    const correct = await passwords.verify(password, user?.passwordHash)
    limits.markChecked(request)
    if (!user || !correct || !users.canSignIn(user)) {
      await events.record('sign_in_failed', request, user?.id)
      throw new InvalidCredentials()
    }

    user.passwordHash = await accounts.renewHash(user, password)
    if (!await signIn(user, request, reply)) throw new InvalidCredentials()
    await limits.giveBack(request, reply)
    return { user: users.toPublic(user) }
  })
}

export default routes
