import fp from 'fastify-plugin'
import { createOperatorPages } from '../../src/operators/pages.ts'

declare module 'fastify' {
  interface FastifyInstance { operatorPages: Awaited<ReturnType<typeof createOperatorPages>> }
}

export default fp(async function (app) {
  const pages = await createOperatorPages(app.config, app.publicUrl, app.eventList.kinds)
  app.decorate('operatorPages', pages)
  // For the error handler, which both listeners share.
  app.decorate<unknown>('pages', { error: pages.error })
}, { name: 'operator-pages' })
