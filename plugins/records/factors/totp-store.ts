import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { totpStore: ReturnType<typeof createTotpStore> }
}

interface StoredTotp { encrypted: string, confirmed: boolean }

/** The keys of authenticator apps, encrypted. One for each account. */
function createTotpStore ({ database }: FastifyInstance) {
  return {
    async find (userId: string, client: Queryable = database): Promise<StoredTotp | undefined> {
      const { rows } = await client.query<StoredTotp>(
        'SELECT secret AS encrypted, confirmed_at IS NOT NULL AS confirmed FROM totp WHERE user_id = $1', [userId])
      return rows[0]
    },

    /** Replaces a key that was not confirmed. Returns false if there is a confirmed one. */
    async begin (userId: string, encrypted: string): Promise<boolean> {
      const { rowCount } = await database.query(`
        INSERT INTO totp (user_id, secret) VALUES ($1, $2)
        ON CONFLICT (user_id) DO UPDATE SET secret = $2, created_at = now() WHERE totp.confirmed_at IS NULL`,
      [userId, encrypted])
      return rowCount === 1
    },

    /** Returns false if the key was replaced or confirmed meanwhile. */
    async confirm (client: Queryable, userId: string, encrypted: string, step: number): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE totp SET confirmed_at = now(), last_step = $3
        WHERE user_id = $1 AND secret = $2 AND confirmed_at IS NULL`, [userId, encrypted, step])
      return rowCount === 1
    },

    /** Each step is accepted once, and none before it afterwards. Atomic: only one concurrent caller succeeds. */
    async accept (userId: string, step: number): Promise<boolean> {
      const { rowCount } = await database.query(
        'UPDATE totp SET last_step = $2 WHERE user_id = $1 AND confirmed_at IS NOT NULL AND last_step < $2',
        [userId, step]
      )
      return rowCount === 1
    },

    async replaceEncrypted (userId: string, from: string, to: string) {
      await database.query('UPDATE totp SET secret = $3 WHERE user_id = $1 AND secret = $2', [userId, from, to])
    },

    /** Returns false if there was no confirmed one. */
    async remove (client: Queryable, userId: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'DELETE FROM totp WHERE user_id = $1 AND confirmed_at IS NOT NULL', [userId])
      return rowCount === 1
    },
  }
}

export default fp(async function (app) {
  app.decorate('totpStore', createTotpStore(app))
}, { name: 'totp-store', dependencies: ['database'] })
