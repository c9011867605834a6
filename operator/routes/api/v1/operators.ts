import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { OperatorsSchema } from '../../../../schemas/operator/operators.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, operators } = app

  app.get('', { schema: OperatorsSchema, onRequest: allow('operators:read') }, async function listOperators () {
    return { operators: await operators.list() }
  })
}

export const autoPrefix = 'operators'
export default routes
