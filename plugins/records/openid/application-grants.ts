import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { EndReason } from '../../../src/sessions/session.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { applicationGrants: ReturnType<typeof createApplicationGrants> }
}

export interface NewGrant {
  id: string
  applicationId: string
  /** The session of the browser. */
  sessionId: string
  /** How the application knows the session. */
  sid: string
  scopes: string[]
  /** As the provider describes it. */
  allowed: object
}

export interface Grant {
  grantId: string
  applicationId: string
  userId: string
  username: string
  email: string
  emailVerified: boolean
  name: string | null
  language: string | null
  timeZone: string | null
  allowed: object
  /** In seconds since 1970. */
  expiresAt: number
}

/** Whatever ends the session, ends what an application got by it: each use asks for the session, and the account. */
export const IS_LIVE =
  's.revoked_at IS NULL AND s.expires_at > now() AND u.id IS NOT NULL AND u.disabled_at IS NULL'
export const LIVE_GRANTS = `application_grants g
  JOIN refresh_tokens s ON s.id = g.session_id
  JOIN users u ON u.id = g.user_id AND ${IS_LIVE}`

/** With the account, which the provider asks for next. */
export const GRANT_COLUMNS = `g.id AS "grantId", g.application_id AS "applicationId", g.allowed,
  u.id::text AS "userId", u.username, u.email, u.email_verified_at IS NOT NULL AS "emailVerified", u.name, u.language,
  u.time_zone AS "timeZone",
  floor(extract(epoch FROM s.expires_at))::float8 AS "expiresAt"`

/**
 * Starts a grant, with its values from parameter `first` on. Nothing is granted if the session has ended meanwhile, or
 * the application was removed. What ends or replaces the session waits for the lock: it finds the grant, tells the
 * application or takes the grant along. `condition`: what else must be true.
 */
export const startGrant = (first: number, condition = 'true') => `
    INSERT INTO application_grants (id, application_id, user_id, session_id, signed_in_from, sid, scopes, allowed)
    SELECT $${first}, a.id, s.user_id, s.id, s.id, $${first + 3}, $${first + 4}, $${first + 5}
    FROM applications a, refresh_tokens s JOIN users u ON u.id = s.user_id
    WHERE a.id = $${first + 1} AND s.id = $${first + 2}
      AND s.revoked_at IS NULL AND s.expires_at > now() AND u.disabled_at IS NULL AND ${condition}
    FOR KEY SHARE OF a FOR SHARE OF s
    RETURNING id`

export const grantValues = ({ id, applicationId, sessionId, sid, scopes, allowed }: NewGrant) =>
  [id, applicationId, sessionId, sid, scopes, allowed]

/** Also the sessions of their own that grants with offline access have. */
const endGrants = (where: string) => `
  WITH ended AS (
    UPDATE application_grants g SET ended_at = now() WHERE ${where} AND ended_at IS NULL RETURNING session_id
  )
  UPDATE refresh_tokens s SET revoked_at = now(), revoked_for = $1
  FROM ended WHERE s.id = ended.session_id AND s.application_id IS NOT NULL AND s.revoked_at IS NULL`

/** What an application got by one sign-in of a user. */
function createApplicationGrants ({ database }: FastifyInstance) {
  return {
    /** Returns undefined if it has ended, or its session has. */
    async find (id: string): Promise<Grant | undefined> {
      const { rows } = await database.query<Grant>({
        name: 'application-grant',
        text: `SELECT ${GRANT_COLUMNS} FROM ${LIVE_GRANTS} WHERE g.id = $1 AND g.ended_at IS NULL`,
        values: [id],
      })
      return rows[0]
    },

    async end (client: Queryable, id: string, reason: EndReason) {
      await client.query(endGrants('g.id = $2'), [reason, id])
    },

    /** All that an application got. */
    async endOfApplication (client: Queryable, applicationId: string) {
      await client.query(endGrants('g.application_id = $2'), ['ended_by_operator', applicationId])
    },
  }
}

export default fp(async function (app) {
  app.decorate('applicationGrants', createApplicationGrants(app))
}, { name: 'application-grants', dependencies: ['database'] })
