import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ChangePasswordSchema } from '../../../../schemas/password-changes.ts'
import { Conflict, HttpError, Unauthorized } from '../../../../src/errors.ts'
import { clientGroup } from '../../../../src/edge/client-address.ts'
import { isPassword } from '../../../../src/passwords/no-password.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, confirmPassword, csrf, freshProof, knownBrowsers } = app
  const { passwordChanges, passwords, replaceSession, sessions, users } = app

  app.post('', {
    schema: ChangePasswordSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, sessions.requireLive],
  }, async function changePassword (request, reply) {
    const { current, password } = request.body
    const user = await users.findById(request.user.userId)
    if (!user) throw new Unauthorized()
    const hasPassword = isPassword(user.passwordHash)
    if (hasPassword) {
      if (current === undefined) throw new HttpError(400, 'body needs the field: current')
      await confirmPassword(user, current, request, reply)
    } else {
      if (current !== undefined) throw new Conflict('This account has no password.')
      await freshProof.require(request)
    }

    await passwords.require(password, [user.username, user.email, user.name ?? ''], clientGroup(request.ip))
    const browser = knownBrowsers.browserOf(request, user)
    const passwordHash = await passwords.hash(password, { login: user.username, browser })
    const successor = hasPassword
      ? await passwordChanges.change(user, passwordHash, request)
      : await passwordChanges.add(user, passwordHash, request)
    replaceSession.finish(request, reply, successor)
    await knownBrowsers.remember(request, reply, { ...user, passwordHash }, browser !== undefined)
    return reply.code(204).send()
  })
}

export default routes
