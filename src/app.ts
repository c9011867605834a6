import { join } from 'node:path'
import autoload from '@fastify/autoload'
import Fastify, { type FastifyInstance } from 'fastify'
import type { DestinationStream } from 'pino'
import type { Config } from './config.ts'
import { describeSchemaError, handleError } from './error-handler.ts'
import { logOptions, RequestLog } from './observability/log.ts'
import { refuseMalformed } from './http/malformed-request.ts'

declare module 'fastify' {
  interface FastifyInstance { config: Config }
}

/** The last byte of a request must be here by then, */
const REQUEST_TIMEOUT = 15_000
/** and Node looks so often who is late. */
const REQUEST_CHECK_INTERVAL = 5_000
/** A connection on which nothing moves is closed; where an answer waits to be read, after twice that. Longer than any answer may take. */
const CONNECTION_TIMEOUT = 30_000
/** Longer than front ends keep theirs (nginx: 60 s), so that they close first and no request meets a closing door. */
const KEEP_ALIVE_TIMEOUT = 65_000
/** What a plugin may take to load where everything starts at once. To give up means to start all over. */
const PLUGIN_TIMEOUT = 60_000

const PLUGINS = join(import.meta.dirname, '../plugins')
/** These come before all other plugins, and their hooks run in this order: every answer has the security headers. */
const EDGE = ['headers', 'drain', 'ambiguous-requests', 'same-origin', 'not-found']
const inEdge = (name: string) => (path: string) => path.startsWith(`/edge/${name}.`)

export function buildApp (config: Config, logStream?: DestinationStream): FastifyInstance {
  const app: FastifyInstance = Fastify({
    logger: logOptions(config, logStream),
    logController: new RequestLog(),
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    bodyLimit: 16 * 1024,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: CONNECTION_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    pluginTimeout: PLUGIN_TIMEOUT,
    http: {
      // Of the two timeouts Node takes the longer one for the body, and this one is a minute by itself.
      headersTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: REQUEST_CHECK_INTERVAL,
      // Node's own answer to a request without Host would pass every hook and header: plugins/edge/ambiguous-requests.ts refuses it.
      requireHostHeader: false,
    },
    // A request that arrives while we close is still answered.
    return503OnClosing: false,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    schemaErrorFormatter: describeSchemaError,
    frameworkErrors: (error, request, reply) => handleError(error, request, reply.headers(app.securityHeaders)),
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, app.securityHeaders),
  })

  app.decorate('config', config)
  app.setErrorHandler(handleError)
  // JSON only: text/plain is what a page of another site can send without asking.
  app.removeContentTypeParser('text/plain')
  // An `Expect` that Node does not know: left to itself it answers 417, past every hook and header.
  app.server.on('checkExpectation', app.routing)

  for (const name of EDGE) app.register(autoload, { dir: PLUGINS, matchFilter: inEdge(name) })
  app.register(autoload, { dir: PLUGINS, ignoreFilter: path => EDGE.some(name => inEdge(name)(path)) })
  app.register(autoload, { dir: join(import.meta.dirname, '../routes') })
  return app
}
