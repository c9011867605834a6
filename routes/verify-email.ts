import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ResendSchema, VerifyEmailSchema } from '../schemas/accounts.ts'
import { ConfirmEmailSchema, UndoEmailSchema } from '../schemas/email-changes.ts'
import { keptPath } from '../src/edge/page-visit.ts'
import { InvalidCode } from '../src/factors/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accounts, emailChanges, registeringBrowser } = app

  app.post('/verify-email', {
    schema: VerifyEmailSchema,
    config: { limit: 'anonymous' },
  }, async function verifyEmail (request, reply) {
    const { code, token } = request.body
    const askedBy = registeringBrowser.askedBy(request)
    const userId = token !== undefined
      ? await accounts.verifyEmail(token, request)
      : askedBy && await accounts.verifyEmailWithCode(code ?? '', askedBy, request)
    if (!userId) throw new InvalidCode(401)
    await registeringBrowser.signIn(userId, request, reply)
    return reply.code(204).send()
  })

  app.post('/verify-email/change', {
    schema: ConfirmEmailSchema,
    config: { limit: 'anonymous' },
  }, async function confirmEmail (request, reply) {
    await emailChanges.confirm(request.body.token, request)
    return reply.code(204).send()
  })

  app.post('/verify-email/undo', {
    schema: UndoEmailSchema,
    config: { limit: 'anonymous' },
  }, async function undoEmail (request, reply) {
    await emailChanges.undo(request.body.token, request)
    return reply.code(204).send()
  })

  app.post('/verify-email/resend', {
    schema: ResendSchema,
    config: { limit: 'anonymous' },
  }, async function resend (request, reply) {
    await accounts.mailLink('verify', request.body.email, request, keptPath(request.query.next, app.config))
    return reply.code(202).send({ message: 'If this address is waiting for confirmation, we sent a new link to it.' })
  })
}

export default routes
