import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DisconnectApplicationSchema, ListApplicationsSchema } from '../../../schemas/applications.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, csrf, ownApplications, sessions } = app

  app.get('/applications', {
    schema: ListApplicationsSchema,
    config: { limit: 'reading' },
    onRequest: authenticate,
  }, async function listApplications ({ user }) {
    return { applications: await ownApplications.list(user.userId) }
  })

  app.delete('/applications/:id', {
    schema: DisconnectApplicationSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect, sessions.requireLive],
  }, async function disconnectApplication (request, reply) {
    await ownApplications.disconnect(request, request.params.id)
    return reply.code(204).send()
  })
}

export default routes
