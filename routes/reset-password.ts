import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ConfirmResetSchema, RequestResetSchema } from '../schemas/password-changes.ts'
import { InvalidLink } from '../src/errors.ts'
import { clientGroup } from '../src/edge/client-address.ts'
import { keptPath } from '../src/edge/page-visit.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accounts, oneTimeTokens, passwordChanges, passwords, users } = app

  app.post('/reset-password', {
    schema: RequestResetSchema,
    config: { limit: 'sensitive' },
  }, async function requestReset (request, reply) {
    await accounts.mailLink('reset', request.body.email, request, keptPath(request.query.next, app.config))
    return reply.code(202).send({ message: 'If there is an account with this address, we sent a reset link to it.' })
  })

  app.post('/reset-password/confirm', {
    schema: ConfirmResetSchema,
    config: { limit: 'anonymous' },
  }, async function confirmReset (request, reply) {
    const { token, password } = request.body
    // Consumed only after the password was accepted: the link stays valid after a weak password.
    const userId = await oneTimeTokens.peek(token, 'reset')
    const user = userId && await users.findById(userId)
    if (!user) throw new InvalidLink()

    await passwords.require(password, [user.username, user.email, user.name ?? ''], clientGroup(request.ip))
    const passwordHash = await passwords.hash(password, { login: user.username })
    await passwordChanges.reset(token, passwordHash, request)
    return reply.code(204).send()
  })
}

export default routes
