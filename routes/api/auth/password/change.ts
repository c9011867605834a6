import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ChangePasswordSchema } from '../../../../schemas/accounts.ts'
import { Conflict, Unauthorized, WrongPassword } from '../../../../src/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accounts, authenticate, csrf, limits, passwords, sessions, users } = app

  app.post('', {
    schema: ChangePasswordSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, sessions.requireLive],
  }, async function changePassword (request, reply) {
    const { current, password } = request.body
    const user = await users.findById(request.user.userId)
    if (!user) throw new Unauthorized()
    if (!user.passwordHash) throw new Conflict('This account signs in through a provider and has no password.')
    await limits.account.take(request, user.username)
    if (!await passwords.verify(current, user.passwordHash)) throw new WrongPassword()
    await limits.giveBack(request, reply)

    await passwords.require(password, [user.username, user.email, user.name ?? ''])
    await accounts.changePassword(user, await passwords.hash(password), request)
    return reply.code(204).send()
  })
}

export default routes
