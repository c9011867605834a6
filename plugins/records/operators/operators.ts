import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { operators: ReturnType<typeof createOperators> }
}

export interface Operator { id: string, username: string, email: string, addedAt: Date, hasSecondFactor: boolean }

const LIST = `
  SELECT u.id, u.username, u.email, o.added_at AS "addedAt",
    EXISTS (SELECT FROM totp WHERE totp.user_id = u.id AND confirmed_at IS NOT NULL)
      OR EXISTS (SELECT FROM passkeys WHERE passkeys.user_id = u.id) AS "hasSecondFactor"
  FROM operators o JOIN users u ON u.id = o.user_id ORDER BY lower(u.username)`

/** The accounts that may sign in on the listener for operators. */
function createOperators ({ database }: FastifyInstance) {
  return {
    /** Returns false if the account was an operator already. */
    async add (userId: string, client: Queryable = database): Promise<boolean> {
      const { rowCount } = await client.query(
        'INSERT INTO operators (user_id) VALUES ($1) ON CONFLICT DO NOTHING', [userId])
      return rowCount === 1
    },

    /** Ends their sessions there, too. Returns false if the account was no operator. */
    async remove (userId: string, client: Queryable = database): Promise<boolean> {
      const { rowCount } = await client.query(`
        WITH ended AS (DELETE FROM operator_sessions WHERE user_id = $1)
        DELETE FROM operators WHERE user_id = $1`, [userId])
      return rowCount === 1
    },

    /** For a change of the account: it cannot become an operator before the transaction of `client` has ended. */
    async hasLocked (client: Queryable, userId: string): Promise<boolean> {
      // The foreign key makes an insertion into `operators` wait for this lock.
      await client.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [userId])
      const { rowCount } = await client.query('SELECT FROM operators WHERE user_id = $1', [userId])
      return rowCount === 1
    },

    async has (userId: string): Promise<boolean> {
      const { rowCount } = await database.query('SELECT FROM operators WHERE user_id = $1', [userId])
      return rowCount === 1
    },

    async list (): Promise<Operator[]> {
      const { rows } = await database.query<Operator>(LIST)
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('operators', createOperators(app))
}, { name: 'operators', dependencies: ['database'] })
