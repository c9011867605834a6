import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DeleteAccountSchema } from '../../../schemas/accounts.ts'
import { ChangeProfileSchema } from '../../../schemas/profile.ts'
import { MeSchema } from '../../../schemas/sessions.ts'
import { Unauthorized } from '../../../src/errors.ts'
import { isProtected } from '../../../src/factors/methods.ts'
import { isPassword } from '../../../src/passwords/no-password.ts'
import { keepAccountLanguage } from '../../../src/site/language.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accounts, authenticate, config, confirmPassword, csrf, factors } = app
  const { freshProof, sessions, tokenCookies, users } = app

  app.get('/me', { schema: MeSchema, onRequest: authenticate }, async function me ({ user }) {
    return { id: user.userId, username: user.username, expiresAt: new Date(user.exp * 1000).toISOString() }
  })

  app.patch('/me', {
    schema: ChangeProfileSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, sessions.requireLive],
  }, async function changeAccount (request, reply) {
    const user = await accounts.changeProfile(request.body, request)
    if (!user) throw new Unauthorized()
    if (request.body.language !== undefined) keepAccountLanguage(request, reply, user.language, config)
    return { user: users.toPublic(user), language: user.language, timeZone: user.timeZone }
  })

  app.delete('/me', {
    schema: DeleteAccountSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, sessions.requireLive],
  }, async function deleteAccount (request, reply) {
    const user = await users.findById(request.user.userId)
    if (!user) throw new Unauthorized()
    const hasPassword = isPassword(user.passwordHash)
    // A password is a fresh proof, unless the account has something stronger.
    if (!hasPassword || isProtected(await factors.ofUser(user))) await freshProof.require(request)
    if (hasPassword) await confirmPassword(user, request.body.password ?? '', request, reply)
    await accounts.remove(user, request)
    tokenCookies.clear(reply)
    return reply.code(204).send()
  })
}

export default routes
