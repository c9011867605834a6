import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ReauthenticateSchema, SendProofMailSchema } from '../../../schemas/factors.ts'
import { Unauthorized } from '../../../src/errors.ts'
import { FreshProofRequired } from '../../../src/factors/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticateToEnrol, confirmPassword, csrf, freshProof, mailProof, secondFactor, sessions, users } = app

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
    } else if (code !== undefined && methods.includes('mail')) {
      await mailProof.confirm(user, code, request)
      await sessions.prove(request, reply, request.user, ['mail'])
    } else {
      throw new FreshProofRequired(methods)
    }
    return reply.code(204).send()
  })

  app.post('/reauthenticate/mail', {
    schema: SendProofMailSchema,
    config: { limit: 'general' },
    onRequest: [authenticateToEnrol, csrf.protect],
  }, async function sendProofMail (request, reply) {
    const methods = freshProof.methodsFor(await freshProof.read(request.user))
    const user = await users.findById(request.user.userId)
    if (!user) throw new Unauthorized()
    if (!methods.includes('mail')) throw new FreshProofRequired(methods)
    await mailProof.send(user, request)
    return reply.code(202).send({ message: 'We sent a code to your email address.' })
  })
}

export default routes
