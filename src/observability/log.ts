import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import type { Config } from '../config.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For routes that machines poll: successful requests are logged at level `debug`. */
    quiet?: boolean
  }
}

/** Fields that are redacted at every depth of a log line. */
const SECRETS = new Set([
  'password', 'current', 'token', 'state', 'code', 'cookie', 'cookies', 'authorization', 'secret', 'csrfToken', 'link',
])
/** Fields with a serializer of their own: ours for errors, Fastify's for requests and responses. */
const SERIALIZED = new Set(['err', 'req', 'res'])

export function logOptions (
  config: Config,
  stream: DestinationStream = standardOutput()
): FastifyServerOptions['logger'] {
  const options: LoggerOptions & { stream: DestinationStream } = {
    stream,
    level: config.LOG_LEVEL,
    timestamp: pino.stdTimeFunctions.isoTime,
    // pino's own `redact` is slow with wildcards: it walks through every value of every line.
    formatters: {
      level: level => ({ level }),
      log: fields => withoutSecrets(fields) as typeof fields,
    },
    serializers: { err: describeError },
  }
  return options
}

/** At most this much is buffered while the disk is full. Further lines are dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/**
 * Lines are written in batches, after 200 ms at the latest: one write a line would cost a refresh 5 % of its time.
 * A failed write loses log lines but never stops or blocks the service, not even at exit.
 */
function standardOutput (): DestinationStream {
  const output = pino.destination({
    dest: 1,
    sync: true,
    minLength: 4_096,
    maxLength: MAX_BUFFERED_BYTES,
    periodicFlush: 200,
  })
  output.on('error', () => {})
  // Not flushSync, which retries forever when the disk is full. Only `write` is returned, because pino would call
  // flushSync at each fatal line.
  process.on('exit', () => output.end())
  return { write: line => output.write(line) }
}

/** Logs one line for each request, when its response is sent. */
export class RequestLog extends LogController {
  override incomingRequest () {}

  override requestCompleted (_error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    const level = request.routeOptions.config.quiet && reply.statusCode < 400 ? 'debug' : 'info'
    const log = request.log as Logger
    if (!log.isLevelEnabled(level)) return
    log[level]({
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: request.ip,
      by: request.actor || undefined,
    }, 'request')
  }
}

/** Leaves out values that are nested too deeply. Errors, dates and the like keep their own serialization. */
function withoutSecrets (value: unknown, depth = 4): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || 'toJSON' in value) return value
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map(each => withoutSecrets(each, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([name, each]) =>
    [name, SECRETS.has(name) ? '[Redacted]' : SERIALIZED.has(name) ? each : withoutSecrets(each, depth - 1)]))
}

/** Logs only these fields: database errors also hold the failing row, and HTTP client errors the request headers. */
function describeError (error: Error & { code?: unknown }): object {
  const { name: type, code, message, stack, cause } = error
  return { type, code, message, stack, cause: cause instanceof Error ? describeError(cause) : undefined }
}

/** The path of a URL without its query, which may hold codes, state values and tokens. */
export function pathOf (url: string): string {
  const end = url.search(/[?#;]/)
  return end === -1 ? url : url.slice(0, end)
}
