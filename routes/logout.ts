import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LogoutSchema } from '../schemas/sessions.ts'
import { isNavigation, returnPath } from '../src/edge/page-visit.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async function parseForm (
    _request: unknown,
    body: string
  ) {
    return Object.fromEntries(new URLSearchParams(body))
  })

  app.post('/logout', { schema: LogoutSchema }, async function logout (request, reply) {
    await app.sessions.close(request, reply)
    if (!isNavigation(request.headers)) return reply.code(204).send()
    const { next = request.query.next } = (request.body ?? {}) as { next?: string }
    return reply.redirect(returnPath(next, '/login?reason=signed-out', app.config), 303)
  })
}

export default routes
