import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AccountSchema, DeleteUserSchema } from '../../../../../schemas/operator/account.ts'
import { deviceName } from '../../../../../src/http/device-name.ts'
import { NoSuchUser } from '../../../../../src/operator/errors.ts'

const EVENTS = 50

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { administration, allow, eventList, factors, sessions, users, userSearch } = app

  app.get('/:id', { schema: AccountSchema, onRequest: allow('users:read') }, async function getUser ({ params }) {
    const user = await userSearch.one(params.id)
    const ways = await factors.waysOf(params.id)
    if (!user || !ways) throw new NoSuchUser()
    const live = await sessions.list(user.id)
    const { events } = await eventList.page({ userId: user.id }, EVENTS)
    const { providers, ...own } = ways
    return {
      user,
      sessions: live.map(({ userAgent, ...session }) => ({ ...session, device: deviceName(userAgent) })),
      events,
      factors: own,
      providers,
    }
  })

  app.delete('/:id', {
    schema: DeleteUserSchema,
    onRequest: allow('users:write'),
  }, async function deleteUser ({ actor, params }, reply) {
    const user = await users.findById(params.id)
    if (!user) throw new NoSuchUser()
    await administration.remove(user, actor)
    return reply.code(204).send()
  })
}

export default routes
