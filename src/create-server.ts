import { join } from 'node:path'
import autoload from '@fastify/autoload'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Config } from './config.ts'
import { PLUGINS } from './edge/folders.ts'
import { describeSchemaError, handleError } from './error-handler.ts'
import { RequestLog } from './observability/log.ts'
import { refuseMalformed } from './edge/malformed-request.ts'
import { schemaCompilers } from './edge/schema-compilers.ts'

declare module 'fastify' {
  interface FastifyInstance { config: Config }
}

/** The whole request must have arrived within this time. */
const REQUEST_TIMEOUT = 15_000
/** How often Node looks for late requests. */
const REQUEST_CHECK_INTERVAL = 5_000
/** Idle connections are closed, or after twice this time if a response is unread. Longer than any route takes. */
const CONNECTION_TIMEOUT = 30_000
/** Longer than that of reverse proxies (nginx: 60 s): they close first, so no request reaches a closed connection. */
const KEEP_ALIVE_TIMEOUT = 65_000
/** Generous, because a machine can be slow when everything starts at once, and a failed start would begin again. */
const PLUGIN_TIMEOUT = 60_000

/** Registered first and in this order, so that every response has the security headers. */
const EDGE = ['headers', 'drain', 'ambiguous-requests', 'app-origins', 'same-origin', 'not-found']
/** Whether `createServer` registers this file of `plugins/`. */
export const isOfEveryServer = (path: string) => EDGE.some(name => path.startsWith(`/edge/${name}.`))

type Logging = Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>

/** What the public listener and that of the operators have in common: limits of requests, errors and the edge. */
export function createServer (config: Config, logging: Logging): FastifyInstance {
  const app: FastifyInstance = Fastify({
    ...logging,
    logController: new RequestLog(),
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    bodyLimit: 16 * 1024,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: CONNECTION_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    pluginTimeout: PLUGIN_TIMEOUT,
    http: {
      // Node applies the longer of the two timeouts to the body, and the default of this one is a minute.
      headersTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: REQUEST_CHECK_INTERVAL,
      // Node's own response would lack the security headers: plugins/edge/ambiguous-requests.ts handles a missing Host.
      requireHostHeader: false,
    },
    // Requests that arrive during shutdown are still handled.
    return503OnClosing: false,
    // Tests check the schemas. Here, that would delay the first request with a body by 30 ms.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, validateSchema: false } },
    schemaController: { compilersFactory: schemaCompilers },
    schemaErrorFormatter: describeSchemaError,
    frameworkErrors: (error, request, reply) => handleError(error, request, reply.headers(app.securityHeaders)),
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, app.securityHeaders),
  })

  app.decorate('config', config)
  app.setErrorHandler(handleError)
  // JSON only: pages of other sites can send text/plain without a preflight request.
  app.removeContentTypeParser('text/plain')
  // For an unknown `Expect` header Node would respond with 417 itself, without hooks and security headers.
  app.server.on('checkExpectation', app.routing)

  for (const name of EDGE) {
    app.register(autoload, { dir: join(PLUGINS, 'edge'), matchFilter: path => path.startsWith(`/${name}.`) })
  }
  return app
}
