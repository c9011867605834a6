import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ChangeEmailSchema, ConfirmEmailCodeSchema } from '../../../schemas/email-changes.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, csrf, emailChanges, requireFresh, sessions } = app

  app.post('/email', {
    schema: ChangeEmailSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, requireFresh],
  }, async function changeEmail (request, reply) {
    await emailChanges.request(request.body.email, request)
    return reply.code(202).send({
      message: 'We sent a link to the new address. It replaces the present one when you open it.',
    })
  })

  app.post('/email/confirm', {
    schema: ConfirmEmailCodeSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, sessions.requireLive],
  }, async function confirmEmailWithCode (request, reply) {
    await emailChanges.confirmWithCode(request.body.code, request)
    return reply.code(204).send()
  })
}

export default routes
