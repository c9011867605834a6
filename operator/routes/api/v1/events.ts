import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { limitOf } from '../../../../schemas/operator/common.ts'
import { EventsSchema } from '../../../../schemas/operator/events.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, eventList, users } = app

  app.get('', { schema: EventsSchema, onRequest: allow('events:read') }, async function listAllEvents ({ query }) {
    const { kind, what = kind, user, account, address, since, until, cursor } = query
    const owner = account ? await users.findByLogin(account) : undefined
    if (account && !owner) return { events: [], next: null }
    return eventList.page({ what, userId: owner?.id ?? user, address, since, until }, limitOf(query), cursor)
  })
}

export const autoPrefix = 'events'
export default routes
