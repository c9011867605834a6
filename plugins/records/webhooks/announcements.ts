import fp from 'fastify-plugin'
import { IS_PLACEHOLDER } from '../../../src/accounts/placeholders.ts'
import type { EndedSession, EndedSignIn } from '../../../src/webhooks/messages.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { announcements: ReturnType<typeof createAnnouncements> }
}

const SIGN_INS = `
  SELECT DISTINCT g.application_id AS "applicationId", g.sid, ended."accountId", ended.at
  FROM jsonb_to_recordset($1) AS ended(sid uuid, "accountId" bigint, at timestamptz)
  JOIN application_grants g ON g.signed_in_from = ended.sid`

/** What is announced to webhooks besides the events, and what is not. */
function createAnnouncements () {
  return {
    /** What applications got from these sessions: each application once for each `sid`. */
    async endedSignIns (client: Queryable, ended: EndedSession[]): Promise<EndedSignIn[]> {
      if (ended.length === 0) return []
      const { rows } = await client.query<EndedSignIn>(SIGN_INS, [JSON.stringify(ended)])
      return rows
    },

    /** The accounts among these that only keep a username from being taken: no person knows of them. */
    async placeholders (client: Queryable, ids: string[]): Promise<Set<string>> {
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM users WHERE id = ANY ($1) AND ${IS_PLACEHOLDER}`, [ids])
      return new Set(rows.map(({ id }) => id))
    },

    /** The sessions that these transactions ended. `replacedBy`: it goes on under this id. */
    async endedSessions (client: Queryable, { from, until }: { from: string, until: string }): Promise<EndedSession[]> {
      const { rows } = await client.query<EndedSession>(`
        SELECT r.sid, coalesce(r.account_id, t.user_id) AS "accountId", r.reason, r.created_at AS at,
          t.replaced_by AS "replacedBy"
        FROM revocations r LEFT JOIN refresh_tokens t ON t.id = r.sid AND t.replaced_by IS NOT NULL
        WHERE r.xid >= $1 AND r.xid < $2 AND coalesce(r.account_id, t.user_id) IS NOT NULL`, [from, until])
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('announcements', createAnnouncements())
}, { name: 'announcements' })
