import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { BeginTotpSchema, ConfirmTotpSchema, RemoveTotpSchema } from '../../../../schemas/factors.ts'
import { Conflict, NotFound } from '../../../../src/errors.ts'
import { InvalidCode } from '../../../../src/factors/errors.ts'
import { isProtected } from '../../../../src/factors/methods.ts'
import { withSecondFactor } from '../../../../src/sessions/session.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, authenticateToEnrol, csrf, factorChanges, factors, requireFresh } = app
  const { recoveryCodesStore, replaceSession, totp, totpStore } = app
  const enrolling = {
    config: { limit: 'general' as const },
    onRequest: [authenticateToEnrol, csrf.protect, factors.requireAllowed, requireFresh],
  }

  app.post('/totp', { schema: BeginTotpSchema, ...enrolling }, async function beginTotp ({ user }) {
    const key = await totp.begin({ id: user.userId, username: user.username })
    if (!key) throw new Conflict('This account has an authenticator app already. Remove it first.')
    return key
  })

  app.post('/totp/confirm', { schema: ConfirmTotpSchema, ...enrolling }, async function confirmTotp (request, reply) {
    const { body: { code }, user: { userId } } = request
    const { recoveryCodes, successor } = await factorChanges.run(request, 'totp_added', async client => {
      if (!await totp.confirm(client, userId, code)) throw new InvalidCode(403)
      return {
        recoveryCodes: await recoveryCodesStore.replace(client, userId),
        successor: await replaceSession.begin(client, request, request.user, withSecondFactor(request.user, 'otp')),
      }
    })
    replaceSession.finish(request, reply, successor)
    return { recoveryCodes }
  })

  app.delete('/totp', {
    schema: RemoveTotpSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, requireFresh],
  }, async function removeTotp (request, reply) {
    const { userId } = request.user
    await factorChanges.run(request, 'totp_removed', async client => {
      if (!await totpStore.remove(client, userId)) throw new NotFound()
      if (!isProtected(await factors.of(userId, client))) await recoveryCodesStore.removeAll(client, userId)
    })
    return reply.code(204).send()
  })
}

export default routes
