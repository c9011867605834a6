import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { seriesOf, startOf, type Bucket, type SignInCount, type Size } from '../../../src/operators/sign-in-series.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { signInCounts: ReturnType<typeof createSignInCounts> }
}

// How a sign-in began is in its session. Events that are older than what is kept are not counted.
const ADD = `
  INSERT INTO sign_in_counts (size, starts_at, kind, count)
  SELECT size, date_trunc(size, e.created_at, 'UTC') AS starts_at,
    CASE e.what
      WHEN 'sign_in_failed' THEN 'failure:firstStep'
      WHEN 'second_factor_failed' THEN 'failure:secondFactor'
      WHEN 'provider_sign_in_failed' THEN 'failure:provider'
      ELSE CASE WHEN s.amr IS NULL OR 'pwd' = ANY (s.amr) THEN 'sign_in:password'
        WHEN 'ext' = ANY (s.amr) THEN 'sign_in:provider'
        WHEN 'mail' = ANY (s.amr) THEN 'sign_in:mail' ELSE 'sign_in:passkey' END
    END AS kind,
    count(*)
  FROM auth_events e LEFT JOIN refresh_tokens s ON s.id = e.session_id
  CROSS JOIN (VALUES ('minute', interval '1 day'), ('hour', interval '30 days')) AS sizes (size, kept)
  WHERE e.id = ANY ($1) AND e.created_at > now() - kept
    AND e.what IN ('sign_in', 'sign_in_failed', 'second_factor_failed', 'provider_sign_in_failed')
  GROUP BY 1, 2, 3
  ON CONFLICT (size, starts_at, kind) DO UPDATE SET count = sign_in_counts.count + excluded.count`

export const READ_COUNTS = `
  SELECT starts_at AS at, kind, count FROM sign_in_counts WHERE size = $1 AND starts_at >= $2`

// The counts by hour are kept for as long.
export const READ_DAYS = `
  SELECT date_trunc('day', starts_at, 'UTC') AS at, kind, sum(count)::int AS count FROM sign_in_counts
  WHERE size = 'hour' AND starts_at >= $1 GROUP BY 1, 2`

/** Sign-ins and failed attempts by minute, by hour and by day. */
function createSignInCounts ({ database }: FastifyInstance) {
  return {
    /** As part of the transaction that moves the reader of these events on. */
    async add (client: Queryable, eventIds: string[]) {
      await client.query(ADD, [eventIds])
    },

    /** The last so many minutes, hours or days, the oldest first. */
    async series (size: Size, buckets: number): Promise<Bucket[]> {
      const now = Date.now()
      const start = startOf(size, buckets, now)
      const { rows } = size === 'day'
        ? await database.query<SignInCount>(READ_DAYS, [start])
        : await database.query<SignInCount>(READ_COUNTS, [size, start])
      return seriesOf(rows, size, buckets, now)
    },
  }
}

export default fp(async function (app) {
  app.decorate('signInCounts', createSignInCounts(app))
}, { name: 'sign-in-counts', dependencies: ['database'] })
