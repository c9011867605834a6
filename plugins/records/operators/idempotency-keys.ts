import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { idempotencyKeys: ReturnType<typeof createIdempotencyKeys> }
}

/** `status` is null while the first request is being handled. */
interface StoredResponse { request: Buffer, status: number | null, body: string | null }

// An entry whose instance died without a response is free again after a minute.
const CLAIM = `
  INSERT INTO idempotency_keys AS kept (actor, key, request) VALUES ($1, $2, $3)
  ON CONFLICT (actor, key) DO UPDATE SET request = $3, status = NULL, body = NULL, created_at = now()
  WHERE kept.created_at < now() - interval '1 day'
    OR (kept.status IS NULL AND kept.created_at < now() - interval '1 minute')`

function createIdempotencyKeys ({ database }: FastifyInstance) {
  return {
    /** Undefined if the request is the first one with this key. Atomic: only one of two concurrent requests is. */
    async claim (actor: string, key: string, request: Buffer): Promise<StoredResponse | undefined> {
      const { rowCount } = await database.query(CLAIM, [actor, key, request])
      if (rowCount === 1) return undefined
      const { rows } = await database.query<StoredResponse>(
        'SELECT request, status, body FROM idempotency_keys WHERE actor = $1 AND key = $2', [actor, key])
      return rows[0] ?? { request, status: null, body: null }
    },

    async keep (actor: string, key: string, status: number, body: string) {
      await database.query(
        'UPDATE idempotency_keys SET status = $3, body = $4 WHERE actor = $1 AND key = $2', [actor, key, status, body])
    },

    /** After a failure that may pass: the request can be sent again. */
    async release (actor: string, key: string) {
      await database.query(
        'DELETE FROM idempotency_keys WHERE actor = $1 AND key = $2 AND status IS NULL', [actor, key])
    },
  }
}

export default fp(async function (app) {
  app.decorate('idempotencyKeys', createIdempotencyKeys(app))
}, { name: 'idempotency-keys', dependencies: ['database'] })
