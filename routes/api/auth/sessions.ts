import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { EndOtherSessionsSchema, EndSessionSchema, ListSessionsSchema } from '../../../schemas/sessions.ts'
import { sessionName } from '../../../src/sessions/device-name.ts'
import { NotFound } from '../../../src/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, csrf, sessions, tokenCookies } = app
  const guarded = {
    config: { limit: 'general' as const },
    onRequest: [authenticate, csrf.protect, sessions.requireLive],
  }

  app.get('/sessions', {
    schema: ListSessionsSchema,
    config: { limit: 'reading' },
    onRequest: authenticate,
  }, async function listSessions ({ user }) {
    const live = await sessions.list(user.userId)
    return {
      sessions: live.map(session => ({
        ...session,
        device: sessionName(session),
        firstUsedAt: session.firstUsedAt.toISOString(),
        lastUsedAt: session.lastUsedAt.toISOString(),
        current: session.id === user.sid,
      })),
    }
  })

  app.delete('/sessions/:id', { schema: EndSessionSchema, ...guarded }, async function endSession (request, reply) {
    const { id } = request.params
    if (!await sessions.endOne(request, id)) throw new NotFound()
    if (id === request.user.sid) tokenCookies.clear(reply)
    return reply.code(204).send()
  })

  app.delete('/sessions', {
    schema: EndOtherSessionsSchema,
    ...guarded,
  }, async function endOtherSessions (request, reply) {
    await sessions.endOthers(request, reply)
    return reply.code(204).send()
  })
}

export default routes
