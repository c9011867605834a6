import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CreateUserSchema } from '../../../../../schemas/operator/account.ts'
import { NoSuchUser } from '../../../../../src/operator/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { administration, allow, idempotent, userSearch } = app

  app.post('', {
    schema: CreateUserSchema,
    onRequest: allow('users:write'),
    preHandler: idempotent,
  }, async function createUser ({ actor, body }, reply) {
    const id = await administration.invite(body, actor)
    const user = await userSearch.one(id)
    if (!user) throw new NoSuchUser()
    return reply.code(201).send({ user })
  })
}

export default routes
