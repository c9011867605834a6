import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { EndKeySchema, KeysSchema } from '../../../../schemas/operator/keys.ts'
import { NoSuchApiKey } from '../../../../src/operators/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, apiKeys, manageApiKeys } = app

  app.get('', { schema: KeysSchema, onRequest: allow('keys:read') }, async function listKeys () {
    return { keys: await apiKeys.list() }
  })

  app.delete('/:name', {
    schema: EndKeySchema,
    onRequest: allow('keys:write'),
  }, async function endKey ({ actor, params }, reply) {
    if (!await manageApiKeys.end(params.name, actor)) throw new NoSuchApiKey()
    return reply.code(204).send()
  })
}

export const autoPrefix = 'keys'
export default routes
