import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { sessionOwners: ReturnType<typeof createSessionOwners> }
}

interface SessionOwner {
  username: string
  email: string
  emailVerified: boolean
  /** When the user last proved who they are, in seconds since 1970. */
  authTime: number
  /** How. */
  amr: string[]
}

const FIND = `
  SELECT u.username, u.email, u.email_verified_at IS NOT NULL AS "emailVerified",
    floor(extract(epoch FROM coalesce(t.auth_time, t.signed_in_at)))::float8 AS "authTime", t.amr
  FROM refresh_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.id = $1 AND t.user_id = $2 AND t.revoked_at IS NULL AND t.expires_at > now() AND u.disabled_at IS NULL`

function createSessionOwners ({ database }: FastifyInstance) {
  return {
    /** Undefined if the session has ended. */
    async find (userId: string, sid: string): Promise<SessionOwner | undefined> {
      const { rows } = await database.query<SessionOwner>({ name: 'session-owner', text: FIND, values: [sid, userId] })
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('sessionOwners', createSessionOwners(app))
}, { name: 'session-owners', dependencies: ['database'] })
