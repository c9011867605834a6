import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TokenSchema } from '../../../schemas/service-tokens.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, serviceTokens } = app

  app.post('/token', {
    schema: TokenSchema,
    config: { limit: 'reading' },
    onRequest: authenticate,
  }, async function issueToken ({ user, body }) {
    const { token, exp } = await serviceTokens.issue(user, body.audience)
    return { token, expiresAt: new Date(exp * 1_000).toISOString() }
  })
}

export default routes
