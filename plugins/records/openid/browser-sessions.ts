import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Method } from '../../../src/sessions/session.ts'
import { GRACE_PERIOD } from '../sessions/rotations.ts'

declare module 'fastify' {
  interface FastifyInstance { browserSessions: ReturnType<typeof createBrowserSessions> }
}

export interface BrowserSession {
  id: string
  /** The first session of those that replaced one another at new proofs of identity. */
  firstId: string
  userId: string
  /** When the user last proved who they are, in seconds since 1970. */
  authTime: number
  /** How. */
  amr: Method[]
  expiresAt: number
  /** Whether a refresh needs the key of the device. */
  isBound: boolean
}

// A refresh token that was replaced is accepted for as long as a refresh accepts it. That of a session which is bound
// to a device could be a copy: the login page refreshes first, which needs the key.
const FIND = `
  SELECT t.id, coalesce(t.first_id, t.id) AS "firstId", t.user_id::text AS "userId", coalesce(t.amr, '{}') AS amr,
    floor(extract(epoch FROM coalesce(t.auth_time, t.signed_in_at)))::float8 AS "authTime",
    floor(extract(epoch FROM t.expires_at))::float8 AS "expiresAt", t.device_key IS NOT NULL AND $4 AS "isBound"
  FROM refresh_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.id = $1 AND t.user_id = $2 AND t.revoked_at IS NULL AND t.expires_at > now() AND u.disabled_at IS NULL
    AND t.application_id IS NULL
    AND ($3::integer IS NULL OR t.generation = $3 OR
      (t.generation = $3 + 1 AND t.rotated_at > now() - interval '${GRACE_PERIOD}'))
    AND ($3 IS NULL OR t.device_key IS NULL OR NOT $4)`

/** Sessions of browsers, as the OpenID provider sees them. */
function createBrowserSessions ({ config, database }: FastifyInstance) {
  const needsKey = config.DEVICE_BOUND_SESSIONS === 'on'

  return {
    /** `generation`: of the refresh token that names the session. Undefined if the session has ended. */
    async find (userId: string, sid: string, generation?: number): Promise<BrowserSession | undefined> {
      const { rows } = await database.query<BrowserSession>({
        name: 'browser-session',
        text: FIND,
        values: [sid, userId, generation ?? null, needsKey],
      })
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('browserSessions', createBrowserSessions(app))
}, { name: 'browser-sessions', dependencies: ['database'] })
