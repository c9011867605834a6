import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, InvalidCsrfToken, Overloaded } from './errors.ts'
import { RefusedByApplication } from './hooks/errors.ts'
import { isNavigation } from './edge/page-visit.ts'
import { languageOf } from './site/language.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the listener for operators gives out CSRF tokens. */
    csrfTokenPath?: string
  }
  interface FastifyContextConfig {
    /** The client is a reverse proxy that passes the headers of a browser on. */
    isForProxies?: boolean
  }
}

/** Messages for Fastify's own errors. */
const MESSAGES: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is larger than this route takes.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty, but Content-Type is application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body differs from Content-Length.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as application/json.',
  FST_ERR_BAD_URL: 'The address is not a valid URL.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the address is too long.',
}

/** Programs get `{ error, message }` and the fields that the specification adds. A navigation gets a page. */
export function handleError (thrown: FastifyError | HttpError, request: FastifyRequest, reply: FastifyReply) {
  const error = thrown instanceof HttpError ? thrown : asHttpError(thrown, request)
  if (error.statusCode >= 500 && !(error instanceof Overloaded)) {
    request.log.error({ err: error.cause ?? thrown }, 'request failed')
  }
  reply.code(error.statusCode).headers(error.headers)
  if (isNavigation(request.headers) && !request.routeOptions.config.isForProxies) {
    return sendPage(error, request, reply)
  }
  return reply.send({ error: error.error, message: error.message, ...error.fields })
}

function sendPage (error: HttpError, request: FastifyRequest, reply: FastifyReply) {
  const retryAfter = Number(reply.getHeader('retry-after')) || undefined
  reply.headers({ 'content-type': 'text/html; charset=utf-8', vary: 'accept, accept-language, cookie, sec-fetch-mode' })
  const refusal = error instanceof RefusedByApplication ? error.message : undefined
  return reply.send(request.server.pages.error({ status: error.statusCode, retryAfter, refusal }, languageOf(request)))
}

function asHttpError (thrown: FastifyError, { server }: FastifyRequest): HttpError {
  if (thrown.code?.startsWith('FST_CSRF_')) return new InvalidCsrfToken(server.csrfTokenPath)
  const status = thrown.statusCode ?? 500
  if (status >= 400 && status < 500) {
    // The message of an unknown code may not be meant for clients.
    const message = thrown.validation ? thrown.message : MESSAGES[thrown.code] ?? 'The request cannot be understood.'
    return new HttpError(status, message)
  }
  return new HttpError(500, 'Something went wrong on our side.', undefined, { cause: thrown })
}

interface SchemaError { keyword: string, instancePath: string, message?: string, params: Record<string, unknown> }

/** Names the field. For an unknown field Ajv's own message does not say which one it is. */
export function describeSchemaError ([first]: SchemaError[], part: string): Error {
  const at = `${part}${first?.instancePath ?? ''}`
  if (first?.keyword === 'additionalProperties') {
    return new Error(`${at} has an unknown field: ${String(first.params.additionalProperty).slice(0, 64)}`)
  }
  if (first?.keyword === 'required') return new Error(`${at} needs the field: ${first.params.missingProperty}`)
  return new Error(`${at} ${first?.message}`)
}
