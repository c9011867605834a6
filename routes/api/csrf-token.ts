import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CsrfTokenSchema } from '../../schemas/csrf.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticateToEnrol, csrf } = app

  app.get('/csrf-token', {
    schema: CsrfTokenSchema,
    config: { limit: 'reading' },
    onRequest: authenticateToEnrol,
  }, async function getCsrfToken (request, reply) {
    return { csrfToken: csrf.issue(request, reply) }
  })
}

export default routes
