import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { signInAlarms: ReturnType<typeof createSignInAlarms> }
}

interface SignInAlarm { email: string, ip: string, userAgent: string | null, at: Date }

// Two instances take different ones.
const TAKE = `
  WITH taken AS (
    DELETE FROM sign_in_alarms WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM sign_in_alarms LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING user_id, ip, user_agent, at
  )
  SELECT u.email, host(t.ip) AS ip, t.user_agent AS "userAgent", t.at
  FROM taken t JOIN users u ON u.id = t.user_id ORDER BY t.at`

/** Sign-ins from unknown browsers of which the owners have not been told yet. `sessionsStore.add` adds them. */
function createSignInAlarms () {
  return {
    /** Removes some of them as part of the caller's transaction. */
    async take (client: Queryable, limit: number): Promise<SignInAlarm[]> {
      const { rows } = await client.query<SignInAlarm>(TAKE, [limit])
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('signInAlarms', createSignInAlarms())
}, { name: 'sign-in-alarms' })
