import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { PublicKey } from '../../../src/service-tokens/key-pair.ts'
import type { KeyState, RotationPlan, SigningAlgorithm } from '../../../src/service-tokens/key-rotation.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { signingKeysStore: ReturnType<typeof createSigningKeysStore> }
}

export interface NewKey {
  kid: string
  algorithm: SigningAlgorithm
  publicKey: PublicKey
  /** The encrypted private key. */
  encrypted: string
}

export interface StoredKey extends NewKey, KeyState {
  createdAt: Date
  signsAt: Date
  retiredAt: Date | null
}

/** An arbitrary number that all instances share. */
const LOCK = 471_882_202

// Not now(), which is the start of the transaction, before the wait for the lock.
const READ = `
  SELECT kid, algorithm, public_key AS "publicKey", private_key AS encrypted,
    created_at AS "createdAt", signs_at AS "signsAt", retired_at AS "retiredAt",
    extract(epoch FROM signs_at - statement_timestamp())::float8 AS "signsIn",
    extract(epoch FROM statement_timestamp() - opened_at)::float8 AS "openedAgo",
    extract(epoch FROM statement_timestamp() - retired_at)::float8 AS "retiredAgo"
  FROM signing_keys ORDER BY signs_at`

function createSigningKeysStore ({ database }: FastifyInstance) {
  async function read (client: Queryable = database): Promise<StoredKey[]> {
    const { rows } = await client.query<StoredKey>({ name: 'signing-keys', text: READ })
    return rows
  }

  return {
    read,

    /** Only one instance at a time changes the keys. */
    async change<T> (work: (client: Queryable, keys: StoredKey[]) => Promise<T>): Promise<T> {
      return database.transact(async client => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
        return work(client, await read(client))
      })
    },

    async add (client: Queryable, { kid, algorithm, publicKey, encrypted }: NewKey, signsIn: number) {
      await client.query(`
        INSERT INTO signing_keys (kid, algorithm, public_key, private_key, signs_at)
        VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`, [kid, algorithm, publicKey, encrypted, signsIn])
    },

    async apply (client: Queryable, { promote, note, retire, remove }: RotationPlan) {
      await client.query('UPDATE signing_keys SET signs_at = now() WHERE kid = ANY ($1)', [promote])
      await client.query('UPDATE signing_keys SET opened_at = now() WHERE kid = ANY ($1)', [note])
      await client.query('UPDATE signing_keys SET retired_at = now() WHERE kid = ANY ($1)', [retire])
      await client.query('DELETE FROM signing_keys WHERE kid = ANY ($1)', [remove])
    },

    async replaceEncrypted (client: Queryable, kid: string, encrypted: string) {
      await client.query('UPDATE signing_keys SET private_key = $2 WHERE kid = $1', [kid, encrypted])
    },

    /** Returns false if there is no such key. */
    async remove (kid: string): Promise<boolean> {
      const { rowCount } = await database.query('DELETE FROM signing_keys WHERE kid = $1', [kid])
      return rowCount === 1
    },
  }
}

export default fp(async function (app) {
  app.decorate('signingKeysStore', createSigningKeysStore(app))
}, { name: 'signing-keys-store', dependencies: ['database'] })
