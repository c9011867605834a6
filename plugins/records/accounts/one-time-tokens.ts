import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../../../src/secrets/digest.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { oneTimeTokens: ReturnType<typeof createOneTimeTokens> }
}

/** Links that change an address are in `address-links.ts`. */
export type TokenKind = 'verify' | 'reset'

const LIFETIME: Record<TokenKind, string> = { verify: '24 hours', reset: '1 hour' }

const LIVE = 'token = $1 AND kind = $2 AND used_at IS NULL AND expires_at > now()'

function createOneTimeTokens (app: FastifyInstance) {
  const { database, emailAddresses } = app

  return {
    /** Replaces the unused tokens of this kind. Only the hash is stored: the value goes into the mail alone. */
    async issue (userId: string, kind: TokenKind, lifetime = LIFETIME[kind]): Promise<string> {
      const value = randomBytes(32).toString('base64url')
      await database.transact(async client => {
        if (kind === 'verify') await emailAddresses.noteVerificationSent(client, userId)
        await client.query(
          'DELETE FROM one_time_tokens WHERE user_id = $1 AND kind = $2 AND used_at IS NULL',
          [userId, kind]
        )
        await client.query(
          `INSERT INTO one_time_tokens (user_id, kind, token, expires_at)
           VALUES ($1, $2, $3, now() + $4::interval)`,
          [userId, kind, digest(value), lifetime]
        )
      })
      return value
    },

    /** The id of its user. The token stays valid. */
    async peek (value: string, kind: TokenKind): Promise<string | undefined> {
      const { rows } = await database.query<{ userId: string }>(
        `SELECT user_id AS "userId" FROM one_time_tokens WHERE ${LIVE}`,
        [digest(value), kind]
      )
      return rows[0]?.userId
    },

    /** Not those that undo a change of address: a thief who changes the password must not void them. */
    async deleteUnused (client: Queryable, userId: string) {
      await client.query(
        "DELETE FROM one_time_tokens WHERE user_id = $1 AND used_at IS NULL AND kind <> 'undo_email'",
        [userId]
      )
    },

    /** The id of its user. Atomic: only one concurrent caller gets it. */
    async consume (client: Queryable, value: string, kind: TokenKind): Promise<string | undefined> {
      const { rows } = await client.query<{ userId: string }>(
        `UPDATE one_time_tokens SET used_at = now() WHERE ${LIVE} RETURNING user_id AS "userId"`,
        [digest(value), kind]
      )
      return rows[0]?.userId
    },
  }
}

export default fp(async function (app) {
  app.decorate('oneTimeTokens', createOneTimeTokens(app))
}, { name: 'one-time-tokens', dependencies: ['database', 'email-addresses'] })
