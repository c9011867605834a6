import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../../../src/secrets/digest.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { oneTimeTokens: ReturnType<typeof createOneTimeTokens> }
}

/** `change_email` and `undo_email` are for an address: the new one, or the former one. */
export type TokenKind = 'verify' | 'reset' | 'change_email' | 'undo_email'

const LIFETIME: Record<TokenKind, string> = {
  verify: '24 hours',
  reset: '1 hour',
  change_email: '1 hour',
  undo_email: '72 hours',
}

const LIVE = 'token = $1 AND kind = $2 AND used_at IS NULL AND expires_at > now()'

function createOneTimeTokens (app: FastifyInstance) {
  const { database, emailAddresses } = app

  async function consume (client: Queryable, value: string, kind: TokenKind) {
    const { rows } = await client.query<{ id: string, userId: string, email: string }>(
      `UPDATE one_time_tokens SET used_at = now() WHERE ${LIVE} RETURNING id, user_id AS "userId", email`,
      [digest(value), kind]
    )
    return rows[0]
  }

  return {
    /**
     * Replaces the unused tokens of this kind. Only the hash is stored: the value goes into the mail alone.
     * A token that restores another address stays: a thief who changes it twice must not void the first one.
     */
    async issue (
      userId: string,
      kind: TokenKind,
      email: string | null = null,
      lifetime = LIFETIME[kind]
    ): Promise<string> {
      const value = randomBytes(32).toString('base64url')
      await database.transact(async client => {
        if (kind === 'verify') await emailAddresses.noteVerificationSent(client, userId)
        await client.query(
          `DELETE FROM one_time_tokens WHERE user_id = $1 AND kind = $2 AND used_at IS NULL
             AND (kind <> 'undo_email' OR lower(email) = lower($3))`,
          [userId, kind, email]
        )
        await client.query(
          `INSERT INTO one_time_tokens (user_id, kind, token, expires_at, email)
           VALUES ($1, $2, $3, now() + $4::interval, $5)`,
          [userId, kind, digest(value), lifetime, email]
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

    /** After an undo: the address that a later change left must not come back. */
    async deleteLaterUndos (client: Queryable, userId: string, id: string) {
      await client.query(
        "DELETE FROM one_time_tokens WHERE user_id = $1 AND kind = 'undo_email' AND used_at IS NULL AND id > $2",
        [userId, id]
      )
    },

    /** The id of its user. Atomic: only one concurrent caller gets it. */
    async consume (client: Queryable, value: string, kind: TokenKind): Promise<string | undefined> {
      return (await consume(client, value, kind))?.userId
    },

    /** The same for a token with an address. */
    consumeAddress: (client: Queryable, value: string, kind: 'change_email' | 'undo_email') =>
      consume(client, value, kind),
  }
}

export default fp(async function (app) {
  app.decorate('oneTimeTokens', createOneTimeTokens(app))
}, { name: 'one-time-tokens', dependencies: ['database', 'email-addresses'] })
