import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { NO_METERS, type Meters } from '../../src/observability/meters.ts'

declare module 'fastify' {
  interface FastifyInstance { metrics: Metrics }
}

interface Metrics extends Meters {
  /** Opens METRICS_PORT if it is set, and returns its URL. */
  listen (): Promise<string | undefined>
}

/** Requests without a route are counted without path and method, because clients can choose any. */
const NO_ROUTE = { route: 'none', method: 'none' }

/** Runs for every access check: therefore a callback, and one kept series for each route and status. */
function observeRequests (app: FastifyInstance, { durations }: Meters) {
  const requests = durations(
    'gatehouse_request_duration_seconds',
    'Time from a request to its response, by route, method and status'
  )
  const known = new WeakMap<object, Array<(seconds: number) => void>>()

  app.addHook('onResponse', function observeRequest (request, reply, done) {
    const { config, url } = request.routeOptions
    let series = known.get(config)
    if (!series) known.set(config, series = [])
    const status = reply.statusCode
    series[status] ??= requests({
      ...(url ? { route: url, method: request.method } : NO_ROUTE),
      status: String(status),
    })
    series[status](reply.elapsedTime / 1_000)
    done()
  })
}

async function createMetrics (app: FastifyInstance): Promise<Metrics> {
  const { METRICS_HOST, METRICS_PORT } = app.config
  if (METRICS_PORT === undefined) return { ...NO_METERS, listen: async () => undefined }

  // Loaded only if metrics are configured.
  const { createPrometheus } = await import('../../src/observability/prometheus.ts')
  const { createMetricsListener } = await import('../../src/observability/metrics-listener.ts')
  const prometheus = createPrometheus()
  const listener = createMetricsListener(prometheus)
  observeRequests(app, prometheus)
  app.addHook('onClose', listener.close)

  return {
    ...prometheus,
    async listen () {
      const url = await listener.listen(METRICS_HOST, METRICS_PORT)
      app.log.info(`Metrics at ${url}`)
      return url
    },
  }
}

export default fp(async function (app) {
  app.decorate('metrics', await createMetrics(app))
}, { name: 'metrics' })
