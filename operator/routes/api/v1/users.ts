import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AccountSchema, ChangeUserSchema, CreateUserSchema, DeleteUserSchema,
} from '../../../../schemas/operator/account.ts'
import { limitOf } from '../../../../schemas/operator/common.ts'
import { SearchUsersSchema } from '../../../../schemas/operator/users.ts'
import { requireRight } from '../../../../src/operators/actors.ts'
import { NoSuchUser } from '../../../../src/operators/errors.ts'
import { dataTag, requiredVersion } from '../../../../src/operators/data-version.ts'
import { sessionName } from '../../../../src/sessions/device-name.ts'

const EVENTS = 50

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accountData, administration, allow, changeAccount, createAccount, eventList, factors } = app
  const { idempotent, operators, sessions, users, userSearch } = app

  app.get('', { schema: SearchUsersSchema, onRequest: allow('users:read') }, async function searchUsers ({ query }) {
    const { limit: _, cursor, sort, ...filter } = query
    return userSearch.page(filter, sort, limitOf(query), cursor)
  })

  app.post('', {
    schema: CreateUserSchema,
    onRequest: allow('users:write'),
    preHandler: idempotent,
  }, async function createUser ({ actor, body }, reply) {
    const { password, passwordHash, emailVerified, externalId } = body
    if ([password, passwordHash, emailVerified].some(given => given !== undefined)) {
      requireRight(actor, 'users:password')
    }
    if (externalId !== undefined) requireRight(actor, 'users:data')
    const id = await createAccount(body, actor)
    const user = await userSearch.one(id)
    if (!user) throw new NoSuchUser()
    return reply.code(201).send({ user })
  })

  app.get('/:id', {
    schema: AccountSchema,
    onRequest: allow('users:read'),
  }, async function getUser ({ params }, reply) {
    const user = await userSearch.one(params.id)
    const ways = await factors.waysOf(params.id)
    if (!user || !ways) throw new NoSuchUser()
    const live = await sessions.list(user.id)
    const { events } = await eventList.page({ userId: user.id }, EVENTS)
    const { providers, ...own } = ways
    const { data, version } = await accountData.find(user.id)
    reply.header('etag', dataTag(version))
    return {
      user,
      data,
      isOperator: await operators.has(user.id),
      sessions: live.map(session => ({ ...session, device: sessionName(session) })),
      events,
      factors: own,
      providers,
    }
  })

  app.patch('/:id', {
    schema: ChangeUserSchema,
    onRequest: allow('users:write'),
  }, async function changeUser ({ actor, body, headers, params }, reply) {
    if (body.email !== undefined) requireRight(actor, 'users:email')
    if (body.data || body.externalId !== undefined) requireRight(actor, 'users:data')
    const version = body.data && requiredVersion(headers)
    const found = await users.findById(params.id)
    if (!found) throw new NoSuchUser()
    const { changed, emailRequested, version: now } = await changeAccount(found, body, actor, version)
    const user = await userSearch.one(found.id)
    if (!user) throw new NoSuchUser()
    reply.header('etag', dataTag(now))
    return { user, changed, emailRequested }
  })

  app.delete('/:id', {
    schema: DeleteUserSchema,
    onRequest: allow('users:delete'),
  }, async function deleteUser ({ actor, params }, reply) {
    const user = await users.findById(params.id)
    if (!user) throw new NoSuchUser()
    await administration.remove(user, actor)
    return reply.code(204).send()
  })
}

export const autoPrefix = 'users'
export default routes
