import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { EndKeySchema, KeysSchema } from '../../../../schemas/operator/keys.ts'
import { NoSuchKey } from '../../../../src/operators/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, apiKeys, manageKeys } = app

  app.get('', { schema: KeysSchema, onRequest: allow('keys:read') }, async function listKeys () {
    return { keys: await apiKeys.list() }
  })

  app.delete('/:name', {
    schema: EndKeySchema,
    onRequest: allow('keys:write'),
  }, async function endKey ({ actor, params }, reply) {
    if (!await manageKeys.end(params.name, actor)) throw new NoSuchKey()
    return reply.code(204).send()
  })
}

export const autoPrefix = 'keys'
export default routes
