import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'
import { USER_COLUMNS, type User } from './users.ts'

declare module 'fastify' {
  interface FastifyInstance { emailAddresses: ReturnType<typeof createEmailAddresses> }
}

const REPLACE = `
  UPDATE users SET email = $2, email_verified_at = now(), updated_at = now()
  FROM (SELECT id, email, email_verified_at FROM users WHERE id = $1 FOR NO KEY UPDATE) AS former
  WHERE users.id = former.id AND users.disabled_at IS NULL
  RETURNING former.email, former.email_verified_at IS NOT NULL AS "isProven"`

interface FormerAddress { email: string, isProven: boolean }

const REMOVE_UNPROVEN = `
  DELETE FROM users WHERE lower(email) = lower($2) AND id <> $1 AND email_verified_at IS NULL RETURNING id`

/** The email addresses of accounts, and whether their owners have proved them. */
function createEmailAddresses () {
  return {
    async isKnown (client: Queryable, email: string): Promise<boolean> {
      const { rowCount } = await client.query('SELECT FROM users WHERE lower(email) = lower($1)', [email])
      return Boolean(rowCount)
    },

    /** The account with this address, locked. */
    async lockOwner (client: Queryable, email: string): Promise<User | undefined> {
      const { rows } = await client.query<User>(
        `SELECT ${USER_COLUMNS} FROM users WHERE lower(email) = lower($1) FOR UPDATE`, [email])
      return rows[0]
    },

    /** Whether this is the address of the account, and its owner has proved it. */
    async isProven (client: Queryable, userId: string, email: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'SELECT FROM users WHERE id = $1 AND lower(email) = lower($2) AND email_verified_at IS NOT NULL',
        [userId, email]
      )
      return Boolean(rowCount)
    },

    /** A proven address for an enabled account. Returns the former one. */
    async replace (client: Queryable, userId: string, email: string): Promise<FormerAddress | undefined> {
      const { rows } = await client.query<FormerAddress>(REPLACE, [userId, email])
      return rows[0]
    },

    /** Deletes another account with this address, which its owner never proved. Returns the ids of those deleted. */
    async removeUnproven (client: Queryable, userId: string, email: string): Promise<string[]> {
      const { rows } = await client.query<{ id: string }>(REMOVE_UNPROVEN, [userId, email])
      return rows.map(({ id }) => id)
    },

    /**
     * Each new link gives the user seven more days. Accounts that did not have to verify their address
     * stay so: otherwise anyone could have them deleted by requesting a link.
     */
    async noteVerificationSent (client: Queryable, id: string) {
      await client.query(
        'UPDATE users SET verification_sent_at = now() WHERE id = $1 AND verification_sent_at IS NOT NULL',
        [id]
      )
    },

    /** Undefined if the address was verified before. */
    async verify (client: Queryable, id: string): Promise<User | undefined> {
      const { rows } = await client.query<User>(`
        UPDATE users SET email_verified_at = now(), updated_at = now()
        WHERE id = $1 AND email_verified_at IS NULL RETURNING ${USER_COLUMNS}`, [id])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('emailAddresses', createEmailAddresses())
}, { name: 'email-addresses' })
