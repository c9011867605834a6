import { LogController, type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify'
import pino, { type DestinationStream, type LoggerOptions } from 'pino'
import type { Config } from '../config.ts'
import { pathOf } from '../http/path.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For what machines ask all day: where all is well, its line has the level `debug`. */
    quiet?: boolean
  }
}

/** Fields that never reach a log line, wherever in it they stand. */
const SECRETS = new Set(['password', 'current', 'token', 'state', 'code', 'cookie', 'cookies', 'authorization', 'secret', 'csrfToken', 'link'])
/** Fields that are written by functions of their own: ours for errors, Fastify's for requests and answers. */
const SERIALIZED = new Set(['err', 'req', 'res'])

export function logOptions (config: Config, stream: DestinationStream = standardOutput()): FastifyServerOptions['logger'] {
  const options: LoggerOptions & { stream: DestinationStream } = {
    stream,
    level: config.LOG_LEVEL,
    // Not pino's own `redact`: with wildcards it takes apart each value of each line, the id of each request among them.
    formatters: { log: fields => withoutSecrets(fields) as typeof fields },
    serializers: { err: describeError },
  }
  return options
}

/** So many bytes wait for room on a full disk; lines beyond that are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * A write for each line would cost a refresh a twentieth of its time: lines wait for company, and for a fifth of a second at most.
 * What cannot be written costs lines, never the service: neither now nor when it ends.
 */
function standardOutput (): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, minLength: 4_096, maxLength: MAX_WAITING_BYTES, periodicFlush: 200 })
  output.on('error', () => {})
  // Not flushSync, which tries again for ever when the disk is full. pino would call it at each fatal line, if it saw it.
  process.on('exit', () => output.end())
  return { write: line => output.write(line) }
}

/** One line a request, written when it is answered. */
export class RequestLog extends LogController {
  override incomingRequest () {}

  override requestCompleted (_error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    const level = request.routeOptions.config.quiet && reply.statusCode < 400 ? 'debug' : 'info'
    request.log[level]({
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: request.ip,
    }, 'request')
  }
}

/** What lies too deep to look at is left out; errors, dates and the like are left to whoever writes them. */
function withoutSecrets (value: unknown, depth = 4): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || 'toJSON' in value) return value
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map(each => withoutSecrets(each, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([name, each]) =>
    [name, SECRETS.has(name) ? '[Redacted]' : SERIALIZED.has(name) ? each : withoutSecrets(each, depth - 1)]))
}

/** Only these: a driver's error also holds the row that failed, and an HTTP client's the headers it sent. */
function describeError (error: Error & { code?: unknown }): object {
  return { type: error.name, code: error.code, message: error.message, stack: error.stack, cause: error.cause instanceof Error ? describeError(error.cause) : undefined }
}
