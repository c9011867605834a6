import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Scope } from '../../../src/operators/scopes.ts'
import { digest } from '../../../src/secrets/digest.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { apiKeys: ReturnType<typeof createApiKeys> }
}

interface ApiKey {
  name: string
  scopes: Scope[]
  createdAt: Date
  lastUsedAt: Date | null
  endedAt: Date | null
  /** Since when it waits to be confirmed after a restore. Until then it has ended. */
  suspendedAt: Date | null
}

type UsedApiKey = Pick<ApiKey, 'name' | 'scopes'> & { isSuspended: boolean }

const COLUMNS = `name, scopes, created_at AS "createdAt", last_used_at AS "lastUsedAt", ended_at AS "endedAt",
  suspended_at AS "suspendedAt"`

// The time of the last use is written at most once a minute: otherwise each request would write a row.
const USE = `
  WITH found AS (
    SELECT id, name, scopes, last_used_at, ended_at IS NOT NULL AS suspended
    FROM api_keys WHERE digest = $1 AND (ended_at IS NULL OR suspended_at IS NOT NULL)
  ), used AS (
    UPDATE api_keys SET last_used_at = now() FROM found
    WHERE api_keys.id = found.id AND NOT suspended
      AND (found.last_used_at IS NULL OR found.last_used_at < now() - interval '1 minute')
  )
  SELECT name, scopes, suspended AS "isSuspended" FROM found`

/** Keys of the operator API. Only their hash is stored. */
function createApiKeys ({ database }: FastifyInstance) {
  return {
    /** Returns the key, which cannot be shown again, or undefined if the name is taken. */
    async add (name: string, scopes: Scope[], client: Queryable = database): Promise<string | undefined> {
      const value = `gh_${randomBytes(32).toString('base64url')}`
      const { rowCount } = await client.query(
        'INSERT INTO api_keys (name, digest, scopes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [name, digest(value), scopes]
      )
      return rowCount === 1 ? value : undefined
    },

    /** Those in use first. */
    async list (): Promise<ApiKey[]> {
      const { rows } = await database.query<ApiKey>(
        `SELECT ${COLUMNS} FROM api_keys ORDER BY ended_at IS NOT NULL, name, id`)
      return rows
    },

    /** For good, also one that is suspended. Returns false if there is no such key. */
    async end (name: string, client: Queryable = database): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE api_keys SET ended_at = now(), suspended_at = NULL
        WHERE name = $1 AND (ended_at IS NULL OR suspended_at IS NOT NULL)`, [name])
      return Boolean(rowCount)
    },

    /** Returns false if no such key is suspended, or the name is in use again. */
    async confirm (name: string, client: Queryable): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE api_keys SET ended_at = NULL, suspended_at = NULL
        WHERE id = (SELECT max(id) FROM api_keys WHERE name = $1 AND suspended_at IS NOT NULL)
          AND NOT EXISTS (SELECT FROM api_keys WHERE name = $1 AND ended_at IS NULL)`, [name])
      return rowCount === 1
    },

    /** Undefined if the key is unknown or has ended. */
    async use (value: string): Promise<UsedApiKey | undefined> {
      const { rows } = await database.query<UsedApiKey>(USE, [digest(value)])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('apiKeys', createApiKeys(app))
}, { name: 'api-keys', dependencies: ['database'] })
