import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SigningKeysSchema } from '../../../../schemas/operator/service.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, signingKeys } = app

  app.get('', { schema: SigningKeysSchema, onRequest: allow('keys:read') }, async function listSigningKeys () {
    return { keys: await signingKeys.list() }
  })
}

export const autoPrefix = 'signing-keys'
export default routes
