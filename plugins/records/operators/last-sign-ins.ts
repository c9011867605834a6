import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { lastSignIns: ReturnType<typeof createLastSignIns> }
}

// The row locks wait for an account that is being deleted, and leave it out then.
const NOTE = `
  WITH signed_in AS MATERIALIZED (
    SELECT user_id, max(created_at) AS at FROM auth_events WHERE id = ANY ($1) AND what = 'sign_in' GROUP BY user_id
  ), owners AS (
    SELECT id FROM users WHERE id IN (SELECT user_id FROM signed_in) FOR KEY SHARE
  )
  INSERT INTO last_sign_ins AS noted (user_id, at)
  SELECT user_id, at FROM signed_in JOIN owners ON id = user_id
  ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE noted.at < excluded.at`

/** When each account last signed in. */
function createLastSignIns () {
  return {
    /** As part of the transaction that moves the reader of these events on. */
    async note (client: Queryable, eventIds: string[]) {
      await client.query(NOTE, [eventIds])
    },
  }
}

export default fp(async function (app) {
  app.decorate('lastSignIns', createLastSignIns())
}, { name: 'last-sign-ins' })
