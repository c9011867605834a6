import { createHmac } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { IdempotencyKeyRefused, IdempotencyKeyReused, RequestUnderWay } from '../../src/operators/errors.ts'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import { digest } from '../../src/secrets/digest.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * For `preHandler` of a route that creates something: a request with the Idempotency-Key of an earlier one
     * of the same caller gets its response, and creates nothing.
     */
    idempotent: preHandlerAsyncHookHandler
    /** For `preHandler` of a route whose response has a secret: 400 for a request with an Idempotency-Key. */
    refuseIdempotencyKey: preHandlerAsyncHookHandler
  }
  interface FastifyRequest { idempotencyKey: string }
}

const keyOf = ({ headers }: FastifyRequest) => headers['idempotency-key'] as string | undefined

function createIdempotency ({ config, idempotencyKeys }: FastifyInstance): preHandlerAsyncHookHandler {
  const [secret = ''] = keysFor('idempotency', config)

  /** A password is replaced: of its plain digest in a stolen backup, it could be guessed at a high rate. */
  function contentOf ({ method, url, body }: FastifyRequest): Buffer {
    const fields = body as { password?: string } | null | undefined
    const password = fields?.password && createHmac('sha256', secret).update(fields.password).digest('base64url')
    return digest(JSON.stringify([method, url, password ? { ...fields, password } : body ?? null]))
  }

  return async function replay (request, reply) {
    const key = keyOf(request)
    if (key === undefined) return
    const content = contentOf(request)
    const stored = await idempotencyKeys.claim(request.actor, key, content)
    if (!stored) {
      request.idempotencyKey = key
      return
    }
    if (!stored.request.equals(content)) throw new IdempotencyKeyReused()
    if (stored.status === null) throw new RequestUnderWay()
    reply.code(stored.status).headers({
      'content-type': 'application/json; charset=utf-8',
      'idempotency-replayed': 'true',
    })
    // Not serialized again: the response has the same bytes.
    return reply.serializer((body: unknown) => body as string).send(stored.body)
  }
}

export default fp(async function (app) {
  const { idempotencyKeys } = app
  app.decorateRequest('idempotencyKey', '')
  app.decorate('idempotent', createIdempotency(app))
  app.decorate('refuseIdempotencyKey', async function refuse (request) {
    if (keyOf(request) !== undefined) throw new IdempotencyKeyRefused()
  })
  app.addHook('onSend', async function keepResponse (request, reply: FastifyReply, payload) {
    const { actor, idempotencyKey: key } = request
    if (!key) return payload
    // What may succeed at the next try is not kept: an outage, a limit.
    if (reply.statusCode >= 500 || reply.statusCode === 429) await idempotencyKeys.release(actor, key)
    else await idempotencyKeys.keep(actor, key, reply.statusCode, String(payload))
    return payload
  })
}, { name: 'idempotency' })
