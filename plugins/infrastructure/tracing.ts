import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { QueryConfig } from 'pg'
import { wantsTraces } from '../../src/config.ts'
import type { TracedRequest } from '../../src/observability/traces.ts'

declare module 'fastify' {
  interface FastifyInstance { tracing: Tracing }
}

interface Tracing {
  /** Runs a query as part of the current request. */
  query<T> (query: string | QueryConfig, run: () => Promise<T>): Promise<T>
}

async function createTracing (app: FastifyInstance): Promise<Tracing> {
  // Loaded only if traces are configured.
  const { createTraces } = await import('../../src/observability/traces.ts')
  const traces = createTraces()
  const traced = new WeakMap<FastifyRequest, TracedRequest>()

  app.addHook('onRequest', function beginRequest (request, _reply, done) {
    // The route, not the path, which a client can choose.
    const { url: route = 'none' } = request.routeOptions
    const { method } = request
    const started = traces.beginRequest(`${method} ${route}`, request.headers, {
      'http.request.method': method,
      'http.route': route,
    })
    traced.set(request, started)
    traces.within(started, done)
  })
  app.addHook('onResponse', function endRequest (request, reply, done) {
    const started = traced.get(request)
    if (started) traces.endRequest(started, reply.statusCode)
    done()
  })
  app.addHook('onClose', traces.close)

  return {
    query (query, run) {
      // The text contains no values: they are sent separately.
      const text = (typeof query === 'string' ? query : query.text).trim().replace(/\s+/g, ' ')
      const [operation = ''] = text.split(' ', 1)
      const attributes = {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        'db.query.text': text,
      }
      return traces.step(operation, attributes, run)
    },
  }
}

export default fp(async function (app) {
  app.decorate('tracing', wantsTraces() ? await createTracing(app) : { query: (_query, run) => run() })
}, { name: 'tracing' })
