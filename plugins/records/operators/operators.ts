import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Role } from '../../../src/operators/roles.ts'
import { NoSuchUser } from '../../../src/operators/errors.ts'
import { LIST_SUSPENDED, type Suspended } from '../../../src/database/after-restore.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { operators: ReturnType<typeof createOperators> }
}

export interface Operator {
  id: string
  username: string
  email: string
  role: Role
  addedAt: Date | null
  /** Since when it waits to be confirmed after a restore. Until then it cannot sign in. */
  suspendedAt: Date | null
  hasSecondFactor: boolean
  /** When a session of theirs on the listener was last used. Null: none is live. */
  lastUsedAt: Date | null
  disabledAt: Date | null
}

const LIST = `
  SELECT u.id, u.username, u.email, o.role, o.added_at AS "addedAt", o.suspended_at AS "suspendedAt",
    EXISTS (SELECT FROM totp WHERE totp.user_id = u.id AND confirmed_at IS NOT NULL)
      OR EXISTS (SELECT FROM passkeys WHERE passkeys.user_id = u.id) AS "hasSecondFactor",
    (SELECT max(last_used_at) FROM operator_sessions s WHERE s.user_id = u.id AND expires_at > now()) AS "lastUsedAt",
    u.disabled_at AS "disabledAt"
  FROM (
    SELECT user_id, role, added_at, NULL AS suspended_at FROM operators
    UNION ALL SELECT user_id, role, NULL, suspended_at FROM suspended_operators s
    WHERE NOT EXISTS (SELECT FROM operators WHERE operators.user_id = s.user_id)
  ) o JOIN users u ON u.id = o.user_id ORDER BY lower(u.username)`

/** The accounts that may sign in on the listener for operators. */
function createOperators ({ database }: FastifyInstance) {
  return {
    /**
     * Without a role: the one that a suspended operator had, or administrator. Returns the role, or undefined if the
     * account was an operator already.
     */
    async add (userId: string, role?: Role, client: Queryable = database): Promise<Role | undefined> {
      const { rows } = await client.query<{ role: Role }>(`
        WITH confirmed AS (DELETE FROM suspended_operators WHERE user_id = $1 RETURNING role)
        INSERT INTO operators (user_id, role)
        VALUES ($1, coalesce($2, (SELECT role FROM confirmed), 'administrator'))
        ON CONFLICT DO NOTHING RETURNING role`, [userId, role])
      return rows[0]?.role
    },

    /** Returns false if the account is no operator, or had this role already. */
    async changeRole (userId: string, role: Role, client: Queryable = database): Promise<boolean> {
      const { rowCount } = await client.query(
        'UPDATE operators SET role = $2 WHERE user_id = $1 AND role <> $2', [userId, role])
      return rowCount === 1
    },

    /** Ends their sessions there, too. Returns false if the account was no operator, not even a suspended one. */
    async remove (userId: string, client: Queryable = database): Promise<boolean> {
      const { rowCount } = await client.query(`
        WITH ended AS (DELETE FROM operator_sessions WHERE user_id = $1),
        suspended AS (DELETE FROM suspended_operators WHERE user_id = $1 RETURNING user_id),
        removed AS (DELETE FROM operators WHERE user_id = $1 RETURNING user_id)
        SELECT FROM removed UNION ALL SELECT FROM suspended`, [userId])
      return Boolean(rowCount)
    },

    /**
     * For a change of the account: it cannot become an operator before the transaction of `client` has ended.
     * One who waits to be confirmed after a restore counts. Throws NoSuchUser if the account is gone.
     */
    async hasLocked (client: Queryable, userId: string): Promise<boolean> {
      // The foreign key makes an insertion into `operators` wait for this lock.
      const { rowCount: found } = await client.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [userId])
      if (!found) throw new NoSuchUser()
      const { rowCount } = await client.query(`
        SELECT FROM operators WHERE user_id = $1
        UNION ALL SELECT FROM suspended_operators WHERE user_id = $1`, [userId])
      return Boolean(rowCount)
    },

    /** Whether the account was an operator in the backup, and waits to be confirmed. */
    async isSuspended (userId: string): Promise<boolean> {
      const { rowCount } = await database.query('SELECT FROM suspended_operators WHERE user_id = $1', [userId])
      return rowCount === 1
    },

    /** Keys, operators and webhooks that wait to be confirmed after a restore. */
    async suspended (): Promise<Suspended[]> {
      const { rows } = await database.query<Suspended>(LIST_SUSPENDED)
      return rows
    },

    async has (userId: string): Promise<boolean> {
      const { rowCount } = await database.query('SELECT FROM operators WHERE user_id = $1', [userId])
      return rowCount === 1
    },

    /** Undefined if the account is no operator. */
    async roleOf (userId: string): Promise<Role | undefined> {
      const { rows } = await database.query<{ role: Role }>('SELECT role FROM operators WHERE user_id = $1', [userId])
      return rows[0]?.role
    },

    /** Also those that wait to be confirmed after a restore. */
    async list (): Promise<Operator[]> {
      const { rows } = await database.query<Operator>(LIST)
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('operators', createOperators(app))
}, { name: 'operators', dependencies: ['database'] })
