import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { QueryConfig } from 'pg'
import { wantsTraces } from '../../src/config.ts'
import type { Visit } from '../../src/observability/traces.ts'

declare module 'fastify' {
  interface FastifyInstance { tracing: Tracing }
}

interface Tracing {
  /** Runs a query, as part of the request under way. */
  query<T> (query: string | QueryConfig, run: () => Promise<T>): Promise<T>
}

async function createTracing (app: FastifyInstance): Promise<Tracing> {
  // Loaded only here: who asks for no traces pays for none.
  const { createTraces } = await import('../../src/observability/traces.ts')
  const traces = createTraces()
  const visits = new WeakMap<FastifyRequest, Visit>()

  app.addHook('onRequest', function beginVisit (request, _reply, done) {
    // Not the path: it is the client's to choose.
    const { url: route = 'none' } = request.routeOptions
    const { method } = request
    const visit = traces.beginVisit(`${method} ${route}`, request.headers, { 'http.request.method': method, 'http.route': route })
    visits.set(request, visit)
    traces.within(visit, done)
  })
  app.addHook('onResponse', function endVisit (request, reply, done) {
    const visit = visits.get(request)
    if (visit) traces.endVisit(visit, reply.statusCode)
    done()
  })
  app.addHook('onClose', traces.close)

  return {
    query (query, run) {
      // Values travel apart from the text: there are none in it.
      const text = (typeof query === 'string' ? query : query.text).trim().replace(/\s+/g, ' ')
      const [operation = ''] = text.split(' ', 1)
      return traces.part(operation, { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text }, run)
    },
  }
}

export default fp(async function (app) {
  app.decorate('tracing', wantsTraces() ? await createTracing(app) : { query: (_query, run) => run() })
}, { name: 'tracing' })
