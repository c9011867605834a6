import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { limitOf } from '../../../../schemas/operator/common.ts'
import { EventsSchema } from '../../../../schemas/operator/events.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, eventList } = app

  app.get('', { schema: EventsSchema, onRequest: allow('events:read') }, async function listAllEvents ({ query }) {
    const { kind, what = kind, user, since, until, cursor } = query
    return eventList.page({ what, userId: user, since, until }, limitOf(query), cursor)
  })
}

export const autoPrefix = 'events'
export default routes
