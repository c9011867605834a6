import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'
import { lockOwner } from '../sessions/sessions-store.ts'

declare module 'fastify' {
  interface FastifyInstance { connectedApplications: ReturnType<typeof createConnectedApplications> }
}

export interface ConnectedApplication {
  id: string
  name: string
  redirectUris: string[]
  documentUrl: string | null
  /** Whether it registered itself. */
  unverified: boolean
  scopes: string[]
  connectedAt: Date
  lastUsedAt: Date | null
  /** Whether it stays connected when the user signs out. */
  offline: boolean
}

// A grant counts while its session is live. What the user has allowed counts until it is withdrawn.
const LIST = `
  WITH held AS (
    SELECT application_id, scopes, granted_at AS since, false AS offline
    FROM application_consents WHERE user_id = $1
    UNION ALL
    SELECT g.application_id, g.scopes, g.created_at, t.application_id IS NOT NULL
    FROM application_grants g JOIN refresh_tokens t ON t.id = g.session_id
    WHERE g.user_id = $1 AND g.ended_at IS NULL AND t.user_id = $1 AND t.revoked_at IS NULL AND t.expires_at > now()
  )
  SELECT a.id, a.name, a.redirect_uris AS "redirectUris", a.document_url AS "documentUrl",
    a.registration IS NOT NULL AS unverified, min(h.since) AS "connectedAt", bool_or(h.offline) AS offline,
    ARRAY(SELECT DISTINCT scope FROM held, unnest(scopes) scope WHERE application_id = a.id ORDER BY scope) AS scopes,
    (SELECT max(used_at) FROM application_grants WHERE user_id = $1 AND application_id = a.id) AS "lastUsedAt"
  FROM held h JOIN applications a ON a.id = h.application_id
  GROUP BY a.id ORDER BY lower(a.name), a.id`

const DISCONNECT = `
  WITH consents AS (
    DELETE FROM application_consents WHERE user_id = $1 AND application_id = $2 RETURNING 1
  ), grants AS (
    UPDATE application_grants SET ended_at = now()
    WHERE user_id = $1 AND application_id = $2 AND ended_at IS NULL RETURNING 1
  ), sessions AS (
    UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'ended_by_user'
    WHERE user_id = $1 AND application_id = $2 AND revoked_at IS NULL RETURNING 1
  )
  SELECT FROM consents UNION ALL SELECT FROM grants UNION ALL SELECT FROM sessions`

/** Applications that a user has allowed something, or that hold something of one of their sessions. */
function createConnectedApplications ({ database }: FastifyInstance) {
  return {
    async list (userId: string): Promise<ConnectedApplication[]> {
      const { rows } = await database.query<ConnectedApplication>(LIST, [userId])
      return rows
    },

    /** Removes the consent, and ends the grants and the sessions of the application. False if there were none. */
    async disconnect (client: Queryable, userId: string, applicationId: string): Promise<boolean> {
      await lockOwner(client, userId)
      const { rowCount } = await client.query(DISCONNECT, [userId, applicationId])
      return Boolean(rowCount)
    },
  }
}

export default fp(async function (app) {
  app.decorate('connectedApplications', createConnectedApplications(app))
}, { name: 'connected-applications', dependencies: ['database'] })
