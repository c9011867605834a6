import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ReadDataSchema, ReplaceDataSchema } from '../../../../schemas/operator/account-data.ts'
import { dataTag, requiredVersion } from '../../../../src/operators/data-version.ts'
import { NoSuchUser } from '../../../../src/operators/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accountData, allow, changeAccount, users } = app

  app.get('/:id/data', {
    schema: ReadDataSchema,
    onRequest: allow('users:read'),
  }, async function readData ({ params }, reply) {
    if (!await users.findById(params.id)) throw new NoSuchUser()
    const { data, version } = await accountData.find(params.id)
    return reply.header('etag', dataTag(version)).send(data)
  })

  app.put('/:id/data', {
    schema: ReplaceDataSchema,
    onRequest: allow('users:data'),
  }, async function replaceData ({ actor, body, headers, params }, reply) {
    const wanted = requiredVersion(headers)
    const user = await users.findById(params.id)
    if (!user) throw new NoSuchUser()
    const { version } = await changeAccount(user, { data: body }, actor, wanted)
    return reply.header('etag', dataTag(version)).send(body)
  })
}

export const autoPrefix = 'users'
export default routes
