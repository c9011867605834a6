import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ConfirmMailSchema, MailLinkSchema, SendMailSchema } from '../../schemas/mail-sign-in.ts'
import { keptPath } from '../../src/edge/page-visit.ts'
import { turnSignal } from '../../src/edge/turn.ts'
import { InvalidLink } from '../../src/errors.ts'
import { InvalidCode } from '../../src/factors/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { config, events, limits, mailRegistration, mailSignIn, secondFactor, signIn, users } = app
  const onRequest = mailSignIn.requireAllowed

  app.post('/mail', {
    schema: SendMailSchema,
    config: { limit: 'anonymous' },
    onRequest,
  }, async function sendSignInMail (request, reply) {
    await mailSignIn.send(request.body.email, request, reply, keptPath(request.body.next, config))
    return reply.code(202).send({ message: 'We sent you an email with a code and a link.' })
  })

  /** For the page behind the link, which names the account before it signs in. */
  app.post('/mail/link', {
    schema: MailLinkSchema,
    config: { limit: 'anonymous' },
    onRequest,
  }, async function readMailLink (request) {
    const found = await mailSignIn.peek(request.body.token, request)
    if (!found) throw new InvalidLink()
    return { email: found.email, username: found.user?.username ?? null, askedHere: found.isAsker }
  })

  app.post('/mail/confirm', {
    schema: ConfirmMailSchema,
    config: { limit: 'login' },
    onRequest,
  }, async function confirmSignInMail (request, reply) {
    const refusal = request.body.token === undefined ? new InvalidCode(401) : new InvalidLink()
    await limits.beginMailCode(request, reply, turnSignal(reply))
    const found = await mailSignIn.check(request.body, request, reply)
    limits.markChecked(request)
    if (!('email' in found)) {
      await events.record('sign_in_failed', request, found.userId)
      throw refusal
    }
    if (!found.user) {
      mailRegistration.begin(reply, found.email)
      await limits.succeed(request)
      return reply.code(202).send({ register: true, email: found.email })
    }

    const user = await mailSignIn.acceptAddress(found.user, request)
    if (!user) throw refusal
    const methods = await secondFactor.ask(user, 'mail', request, reply)
    if (methods) {
      await limits.succeed(request)
      return reply.code(202).send({ secondFactor: methods })
    }
    if (!await signIn(user, request, reply, { amr: ['mail'] })) throw refusal
    await limits.succeed(request)
    return { user: users.toPublic(user) }
  })
}

export default routes
