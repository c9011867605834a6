import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'
import { GRANT_COLUMNS, LIVE_GRANTS, type Grant } from './application-grants.ts'

declare module 'fastify' {
  interface FastifyInstance { applicationRefreshes: ReturnType<typeof createApplicationRefreshes> }
}

interface RefreshState extends Grant {
  /** What the refresh token says. */
  refresh: object
  generation: number
  /** Whether the current token replaced the one before within the grace period. */
  inGrace: boolean
}

/** A session of its own, for an application with offline access. */
interface OfflineSession {
  id: string
  /** The digest of a random token that is never sent. */
  token: Buffer
  /** In seconds since 1970. */
  expiresAt: number
}

/** A used token is accepted for this long, as in a browser: a response may get lost. */
export const GRACE_PERIOD = '30 seconds'

// The session of an application goes on while it is used, like that of a browser.
const ROTATE = `
  WITH rotated AS (
    UPDATE application_grants SET generation = $2, refresh = $3, rotated_at = now(), used_at = now()
    WHERE id = $1 AND generation = $2 - 1 AND ended_at IS NULL RETURNING session_id
  ), prolonged AS (
    UPDATE refresh_tokens s SET issued_at = now(), expires_at = LEAST(
      now() + make_interval(secs => $4), s.signed_in_at + make_interval(days => $5))
    FROM rotated WHERE s.id = rotated.session_id AND s.application_id IS NOT NULL AND s.revoked_at IS NULL
  )
  SELECT FROM rotated`

/** For each application and browser: each sign-in there adds a grant, and each end of a session reads all. */
const MAX_GRANTS = 100

// A grant beyond the limit ends the one that was used longest ago.
const END_EXCESS_GRANTS = `
  WITH excess AS (
    DELETE FROM application_grants WHERE id = ANY (ARRAY(
      SELECT former.id FROM application_grants g JOIN application_grants former USING (application_id, signed_in_from)
      WHERE g.id = $1 AND former.id <> $1 ORDER BY former.used_at DESC OFFSET ${MAX_GRANTS - 1}))
    RETURNING session_id
  )
  UPDATE refresh_tokens s SET revoked_at = now(), revoked_for = 'session_limit'
  FROM excess WHERE s.id = excess.session_id AND s.application_id IS NOT NULL AND s.revoked_at IS NULL`

/** Sessions of an application for each account: few, so that they cannot end those of the browsers. */
const MAX_OFFLINE = 20

// As a sign-in does, and before any other lock: what ends all sessions of an account waits, then ends this one, too.
const LOCK_OWNER = `
  SELECT FROM users WHERE id = (SELECT user_id FROM application_grants WHERE id = $1) FOR NO KEY UPDATE`

// A session beyond the limit ends the one that was used longest ago.
const END_EXCESS_OFFLINE = `
  UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'session_limit'
  WHERE id = ANY (ARRAY(
    SELECT s.id FROM application_grants g
    JOIN refresh_tokens s ON s.user_id = g.user_id AND s.application_id = g.application_id
    WHERE g.id = $1 AND s.revoked_at IS NULL AND s.expires_at > now()
    ORDER BY s.issued_at DESC OFFSET ${MAX_OFFLINE - 1}))`

// The address and the browser are those of the sign-in. The limit of sessions counts it like any other.
const GO_OFFLINE = `
  WITH owner AS (
    SELECT s.* FROM application_grants g JOIN refresh_tokens s ON s.id = g.session_id
    WHERE g.id = $1 AND g.ended_at IS NULL AND s.revoked_at IS NULL AND s.expires_at > now() FOR NO KEY UPDATE OF s
  ), added AS (
    INSERT INTO refresh_tokens
      (id, user_id, application_id, token, expires_at, signed_in_at, ip, user_agent, amr, auth_time)
    SELECT $2, owner.user_id, g.application_id, $3, to_timestamp($4), now(), owner.ip, owner.user_agent, owner.amr,
      coalesce(owner.auth_time, owner.signed_in_at)
    FROM owner, application_grants g WHERE g.id = $1
    RETURNING user_id
  ), moved AS (
    UPDATE application_grants SET session_id = $2 WHERE id = $1 AND EXISTS (SELECT FROM added)
  )
  SELECT end_excess_sessions(user_id, ARRAY[$2], 99, 1000) FROM added`

/** The refresh tokens of grants. One row for all of a grant: only their generations differ. */
function createApplicationRefreshes ({ config, database }: FastifyInstance) {
  return {
    /** Undefined if the grant or its session has ended, or it has no refresh token. */
    async find (id: string): Promise<RefreshState | undefined> {
      const { rows } = await database.query<RefreshState>({
        name: 'application-refresh',
        text: `SELECT ${GRANT_COLUMNS}, g.refresh, g.generation,
            coalesce(g.rotated_at > now() - interval '${GRACE_PERIOD}', false) AS "inGrace"
          FROM ${LIVE_GRANTS} WHERE g.id = $1 AND g.ended_at IS NULL AND g.refresh IS NOT NULL`,
        values: [id],
      })
      return rows[0]
    },

    /** The first refresh token. With `offline`, the grant gets a session of its own: in a transaction. */
    async start (client: Queryable, id: string, refresh: object, offline?: OfflineSession): Promise<void> {
      if (offline) await client.query(LOCK_OWNER, [id])
      await client.query('UPDATE application_grants SET refresh = $2 WHERE id = $1', [id, refresh])
      await client.query(END_EXCESS_GRANTS, [id])
      if (!offline) return
      await client.query(END_EXCESS_OFFLINE, [id])
      await client.query(GO_OFFLINE, [id, offline.id, offline.token, offline.expiresAt])
    },

    /** The next refresh token. Atomic: of two callers at once, one changes the row, and both get the same token. */
    async rotate (id: string, generation: number, refresh: object, lifetime: number): Promise<void> {
      await database.query({
        name: 'application-rotate',
        text: ROTATE,
        values: [id, generation, refresh, lifetime, config.SESSION_MAX_AGE],
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('applicationRefreshes', createApplicationRefreshes(app))
}, { name: 'application-refreshes', dependencies: ['database'] })
