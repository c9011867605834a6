import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ListEventsSchema } from '../../../schemas/events.ts'
import { deviceName } from '../../../src/sessions/device-name.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, events } = app

  app.get('/events', { schema: ListEventsSchema, onRequest: authenticate }, async function listEvents ({ user }) {
    const recorded = await events.list(user.userId)
    return {
      events: recorded.map(({ what, ip, userAgent, subject, byOperator, at }) => ({
        what,
        ip,
        device: deviceName(userAgent),
        ...what === 'profile_changed' && { changed: subject?.split(',') ?? [] },
        byOperator,
        at: at.toISOString(),
      })),
    }
  })
}

export default routes
