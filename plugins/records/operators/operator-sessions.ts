import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Role } from '../../../src/operators/roles.ts'
import { digest } from '../../../src/secrets/digest.ts'
import type { User } from '../accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { operatorSessions: ReturnType<typeof createOperatorSessions> }
}

export interface OperatorSession {
  id: string
  userId: string
  username: string
  role: Role
  secondsSinceProof: number
}

/** The account as it was when the proofs were checked. */
export type CheckedUser = Pick<User, 'id' | 'factorsVersion' | 'passwordHash'>

/** From the sign-in. */
const LIFETIME = "interval '8 hours'"
/** Without a request for so long, a session ends. */
const IDLE = "interval '30 minutes'"

// The same condition as for a sign-in to the service. The row lock waits for a concurrent change of the password or the
// factors, after which they no longer match.
const OPEN = `
  WITH owner AS (
    SELECT u.id, u.factors_version FROM users u JOIN operators o ON o.user_id = u.id
    WHERE u.id = $2 AND u.disabled_at IS NULL AND u.factors_version = $3 AND u.password_hash IS NOT DISTINCT FROM $4
    FOR NO KEY UPDATE OF u
  )
  INSERT INTO operator_sessions (digest, user_id, factors_version, expires_at)
  SELECT $1, id, factors_version, now() + ${LIFETIME} FROM owner`

// A session from before the right was last given stays ended, even if it was opened while the right was taken away.
const USE = `
  WITH found AS (
    SELECT s.id, s.last_used_at, s.user_id AS "userId", u.username, o.role,
      extract(epoch FROM now() - s.proved_at)::float8 AS "secondsSinceProof"
    FROM operator_sessions s JOIN operators o ON o.user_id = s.user_id JOIN users u ON u.id = s.user_id
    WHERE s.digest = $1 AND s.expires_at > now() AND s.last_used_at > now() - ${IDLE}
      AND s.expires_at >= o.added_at + ${LIFETIME}
      AND u.disabled_at IS NULL AND u.factors_version = s.factors_version
  ), used AS (
    UPDATE operator_sessions s SET last_used_at = now() FROM found
    WHERE s.id = found.id AND found.last_used_at < now() - interval '1 minute'
  )
  SELECT id, "userId", username, role, "secondsSinceProof" FROM found`

const createValue = () => randomBytes(32).toString('base64url')

/** Sessions of operators. Each request reads its session, so that one that has ended is refused at once. */
function createOperatorSessions ({ database }: FastifyInstance) {
  return {
    /** Returns the value of the cookie, or undefined if the account is no operator, or changed meanwhile. */
    async open ({ id, factorsVersion, passwordHash }: CheckedUser): Promise<string | undefined> {
      const value = createValue()
      const { rowCount } = await database.query(OPEN, [digest(value), id, factorsVersion, passwordHash])
      return rowCount === 1 ? value : undefined
    },

    async use (value: string): Promise<OperatorSession | undefined> {
      const { rows } = await database.query<OperatorSession>(USE, [digest(value)])
      return rows[0]
    },

    /**
     * Notes that the operator proved once more who they are. Returns the new value of the cookie: a copy of the old one
     * gets nothing from the proof. Undefined if the session has ended, or another proof has replaced the value.
     */
    async prove (id: string, value: string): Promise<string | undefined> {
      const next = createValue()
      const { rowCount } = await database.query(
        'UPDATE operator_sessions SET proved_at = now(), digest = $3 WHERE id = $1 AND digest = $2',
        [id, digest(value), digest(next)]
      )
      return rowCount === 1 ? next : undefined
    },

    async end (id: string) {
      await database.query('DELETE FROM operator_sessions WHERE id = $1', [id])
    },
  }
}

export default fp(async function (app) {
  app.decorate('operatorSessions', createOperatorSessions(app))
}, { name: 'operator-sessions', dependencies: ['database'] })
