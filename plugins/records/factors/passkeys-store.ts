import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'
import { USER_COLUMNS, type User } from '../accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { passkeysStore: ReturnType<typeof createPasskeysStore> }
}

export interface NewPasskey {
  /** The credential id, in base64url. */
  credentialId: string
  publicKey: Uint8Array
  counter: number
  transports: string[]
  deviceType: 'singleDevice' | 'multiDevice'
  backedUp: boolean
}

export interface Passkey extends NewPasskey {
  id: string
  userId: string
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

const COLUMNS = `public_id AS id, id AS "credentialId", user_id AS "userId", public_key AS "publicKey",
  counter::float8 AS counter, transports, device_type AS "deviceType", backed_up AS "backedUp", name,
  created_at AS "createdAt", last_used_at AS "lastUsedAt"`

const HANDLE_BYTES = 32

function createPasskeysStore ({ database }: FastifyInstance) {
  async function queryOne<T extends object> (text: string, values: unknown[], client: Queryable = database) {
    const { rows } = await client.query<T>(text, values)
    return rows[0]
  }

  return {
    /** What authenticators store in place of the user id. Random, and the same for all passkeys of a user. */
    async handleOf (userId: string): Promise<Buffer | undefined> {
      const row = await queryOne<{ handle: Buffer }>(`
        UPDATE users SET passkey_handle = coalesce(passkey_handle, $2) WHERE id = $1
        RETURNING passkey_handle AS handle`, [userId, randomBytes(HANDLE_BYTES)])
      return row?.handle
    },

    /** The same, or undefined if the user never added a passkey. */
    async existingHandleOf (userId: string): Promise<Buffer | undefined> {
      const row = await queryOne<{ handle: Buffer | null }>(
        'SELECT passkey_handle AS handle FROM users WHERE id = $1', [userId])
      return row?.handle ?? undefined
    },

    /** The passkey and its owner. The same queries for a credential that is unknown. */
    async find (credentialId: string): Promise<{ passkey?: Passkey, owner?: User & { handle: Buffer } }> {
      const [passkey, owner] = await Promise.all([
        queryOne<Passkey>(`SELECT ${COLUMNS} FROM passkeys WHERE id = $1`, [credentialId]),
        queryOne<User & { handle: Buffer }>(`
          SELECT ${USER_COLUMNS}, passkey_handle AS handle FROM users
          WHERE id = (SELECT user_id FROM passkeys p WHERE p.id = $1)`, [credentialId]),
      ])
      return { passkey, owner }
    },

    async list (userId: string): Promise<Passkey[]> {
      const { rows } = await database.query<Passkey>(
        `SELECT ${COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY created_at, id`, [userId])
      return rows
    },

    /** Undefined if the credential is known already, or the user has `max` passkeys. */
    async add (client: Queryable, userId: string, name: string, max: number, passkey: NewPasskey) {
      const { credentialId, publicKey, counter, transports, deviceType, backedUp } = passkey
      return queryOne<Passkey>(`
        INSERT INTO passkeys (id, user_id, public_key, counter, transports, device_type, backed_up, name)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE (SELECT count(*) FROM passkeys WHERE user_id = $2) < $9
        ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
      [credentialId, userId, Buffer.from(publicKey), counter, transports, deviceType, backedUp, name, max], client)
    },

    /**
     * Notes a use. Returns false if the counter has not gone up: the passkey may have been copied.
     * Passkeys that are synced between devices always report 0. Atomic: two answers of one count are never accepted.
     */
    async use (credentialId: string, counter: number, backedUp: boolean): Promise<boolean> {
      const { rowCount } = await database.query(`
        UPDATE passkeys SET counter = $2, backed_up = $3, last_used_at = now()
        WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))`, [credentialId, counter, backedUp])
      return rowCount === 1
    },

    async rename (client: Queryable, userId: string, id: string, name: string): Promise<Passkey | undefined> {
      return queryOne<Passkey>(
        `UPDATE passkeys SET name = $3 WHERE user_id = $1 AND public_id = $2 RETURNING ${COLUMNS}`,
        [userId, id, name],
        client
      )
    },

    async remove (client: Queryable, userId: string, id: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'DELETE FROM passkeys WHERE user_id = $1 AND public_id = $2', [userId, id])
      return rowCount === 1
    },

    /** Returns false if the challenge was used before. Atomic: only one concurrent caller succeeds. */
    async useChallenge (digest: Buffer, expiresAt: number, client: Queryable = database): Promise<boolean> {
      const { rowCount } = await client.query(`
        INSERT INTO used_challenges (digest, expires_at) VALUES ($1, to_timestamp($2))
        ON CONFLICT DO NOTHING`, [digest, expiresAt])
      return rowCount === 1
    },
  }
}

export default fp(async function (app) {
  app.decorate('passkeysStore', createPasskeysStore(app))
}, { name: 'passkeys-store', dependencies: ['database'] })
