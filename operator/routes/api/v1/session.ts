import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  OperatorConfirmSchema, OperatorLogoutSchema, OperatorSessionSchema,
} from '../../../../schemas/operator/session.ts'
import { ApiKeyRequired } from '../../../../src/operators/errors.ts'
import { ROLES } from '../../../../src/operators/roles.ts'
import type { FastifyRequest } from 'fastify'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { events, operatorSession, operatorSessions, secondFactor, users } = app

  async function requireSession (request: FastifyRequest) {
    const session = await operatorSession.read(request)
    if (!session) throw new ApiKeyRequired()
    return session
  }

  app.get('', { schema: OperatorSessionSchema }, async function getSession (request, reply) {
    const session = await requireSession(request)
    return {
      username: session.username,
      role: session.role,
      rights: ROLES[session.role],
      csrfToken: reply.generateCsrf(),
      isFresh: operatorSession.isFresh(session),
    }
  })

  app.post('/confirm', {
    schema: OperatorConfirmSchema,
    onRequest: operatorSession.requireToken,
  }, async function confirmIdentity (request, reply) {
    const { id, userId } = await requireSession(request)
    const { code, passkey } = request.body
    const user = await users.findById(userId)
    if (!user) throw new ApiKeyRequired()
    if (passkey) await secondFactor.confirmPasskey(user, passkey, request)
    else await secondFactor.confirm(user, code ?? '', request, reply, id)
    await operatorSession.prove(id, request, reply)
    await events.record('identity_confirmed', request, userId)
    return reply.code(204).send()
  })

  app.delete('', {
    schema: OperatorLogoutSchema,
    onRequest: operatorSession.requireToken,
  }, async function signOut (request, reply) {
    const { id } = await requireSession(request)
    await operatorSessions.end(id)
    operatorSession.clear(reply)
    return reply.code(204).send()
  })
}

export const autoPrefix = 'session'
export default routes
