import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ReauthenticateSchema } from '../../../schemas/factors.ts'
import { Unauthorized } from '../../../src/errors.ts'
import { FreshProofRequired } from '../../../src/factors/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticateToEnrol, confirmPassword, csrf, freshProof, secondFactor, sessions, users } = app

  app.post('/reauthenticate', {
    schema: ReauthenticateSchema,
    config: { limit: 'general' },
    onRequest: [authenticateToEnrol, csrf.protect],
  }, async function reauthenticate (request, reply) {
    const { password, code, passkey } = request.body
    const methods = freshProof.methodsFor(await freshProof.read(request.user))
    const user = await users.findById(request.user.userId)
    if (!user) throw new Unauthorized()

    if (passkey && methods.includes('passkey')) {
      await secondFactor.confirmPasskey(user, passkey, request)
      await sessions.proveSecondFactor(request, reply, 'hwk')
    } else if (code !== undefined && (methods.includes('totp') || methods.includes('recovery'))) {
      await secondFactor.confirm(user, code, request, reply)
      await sessions.proveSecondFactor(request, reply, 'otp')
    } else if (password !== undefined && methods.includes('password')) {
      await confirmPassword(user, password, request, reply)
      await sessions.prove(request, reply, request.user, ['pwd'])
    } else {
      throw new FreshProofRequired(methods)
    }
    return reply.code(204).send()
  })
}

export default routes
