import { LogController, type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify'
import type { DestinationStream, LoggerOptions } from 'pino'
import type { Config } from './config.ts'

/** Fields that never reach a log line, at its top or one level down. */
const SECRETS = ['password', 'current', 'token', 'state', 'cookie', 'cookies', 'authorization', 'secret', 'csrfToken', 'link']

export function logOptions (config: Config, stream?: DestinationStream): FastifyServerOptions['logger'] {
  const options: LoggerOptions = {
    level: config.LOG_LEVEL,
    redact: ['code', 'query.code', ...SECRETS.flatMap(field => [field, `*.${field}`])],
    serializers: { err: describeError },
  }
  return stream ? { ...options, stream } : options
}

/** One line a request, written when it is answered. */
export class RequestLog extends LogController {
  override incomingRequest () {}

  override requestCompleted (_error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    request.log.info({
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: request.ip,
    }, 'request')
  }
}

/** An address without its query, where codes, states and tokens travel. */
export function pathOf (url: string): string {
  const end = url.search(/[?#;]/)
  return end === -1 ? url : url.slice(0, end)
}

/** Only these: a driver's error also holds the row that failed, and an HTTP client's the headers it sent. */
function describeError (error: Error & { code?: unknown }): object {
  return { type: error.name, code: error.code, message: error.message, stack: error.stack, cause: error.cause instanceof Error ? describeError(error.cause) : undefined }
}
