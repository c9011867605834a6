import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SensitiveSchema } from '../../schemas/csrf.ts'

/** An example of a route that requires a CSRF token. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, csrf } = app

  app.post('/sensitive', {
    schema: SensitiveSchema,
    config: { limit: 'general' },
    onRequest: [authenticate, csrf.protect],
  }, async function doSensitive () {
    return { message: 'This request came from you.' }
  })
}

export default routes
