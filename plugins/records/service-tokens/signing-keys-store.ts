import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { PublicKey } from '../../../src/service-tokens/key-pair.ts'
import type { KeyState, RotationPlan, SigningAlgorithm } from '../../../src/service-tokens/key-rotation.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { signingKeysStore: ReturnType<typeof createSigningKeysStore> }
}

interface NewKey {
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

const REMOVE = `
  WITH removed AS (DELETE FROM signing_keys WHERE kid = ANY ($1) RETURNING kid, public_key, retired_at)
  INSERT INTO retired_signing_keys (kid, public_key, keep_until)
  SELECT kid, public_key, retired_at + $2 * interval '1 day' FROM removed`

const WITHDRAW = `
  WITH withdrawn AS (DELETE FROM signing_keys WHERE kid = $1 RETURNING kid),
  retired AS (DELETE FROM retired_signing_keys WHERE kid = $1 RETURNING kid)
  SELECT FROM withdrawn UNION ALL SELECT FROM retired`

function createSigningKeysStore ({ database }: FastifyInstance) {
  async function read (client: Queryable = database): Promise<StoredKey[]> {
    const { rows } = await client.query<StoredKey>({ name: 'signing-keys', text: READ })
    return rows
  }

  /** Only one instance at a time changes the keys. */
  async function change<T> (work: (client: Queryable, keys: StoredKey[]) => Promise<T>): Promise<T> {
    return database.transact(async client => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
      return work(client, await read(client))
    })
  }

  return {
    read,
    change,

    async add (client: Queryable, { kid, algorithm, publicKey, encrypted }: NewKey, signsIn: number) {
      await client.query(`
        INSERT INTO signing_keys (kid, algorithm, public_key, private_key, signs_at)
        VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`, [kid, algorithm, publicKey, encrypted, signsIn])
    },

    /** The public part of a removed key stays for this many days after the key retired. */
    async apply (client: Queryable, { promote, note, retire, remove }: RotationPlan, keepDays: number) {
      await client.query('UPDATE signing_keys SET signs_at = now() WHERE kid = ANY ($1)', [promote])
      await client.query('UPDATE signing_keys SET opened_at = now() WHERE kid = ANY ($1)', [note])
      await client.query('UPDATE signing_keys SET retired_at = now() WHERE kid = ANY ($1)', [retire])
      await client.query(REMOVE, [remove, keepDays])
    },

    async replaceEncrypted (client: Queryable, kid: string, encrypted: string) {
      await client.query('UPDATE signing_keys SET private_key = $2 WHERE kid = $1', [kid, encrypted])
    },

    /** The public part of those that are not published any more. */
    async readRetired (): Promise<PublicKey[]> {
      const { rows } = await database.query<{ publicKey: PublicKey }>(
        'SELECT public_key AS "publicKey" FROM retired_signing_keys WHERE keep_until > now()')
      return rows.map(({ publicKey }) => publicKey)
    },

    /** Nothing of it stays. Returns false if there is no such key. */
    async remove (kid: string): Promise<boolean> {
      return change(async client => {
        const { rowCount } = await client.query(WITHDRAW, [kid])
        return rowCount === 1
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('signingKeysStore', createSigningKeysStore(app))
}, { name: 'signing-keys-store', dependencies: ['database'] })
