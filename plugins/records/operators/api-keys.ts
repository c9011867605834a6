import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Scope } from '../../../src/operators/scopes.ts'
import { digest } from '../../../src/secrets/digest.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { apiKeys: ReturnType<typeof createApiKeys> }
}

export interface ApiKey {
  name: string
  scopes: Scope[]
  createdAt: Date
  lastUsedAt: Date | null
  endedAt: Date | null
}

const COLUMNS = 'name, scopes, created_at AS "createdAt", last_used_at AS "lastUsedAt", ended_at AS "endedAt"'

// The time of the last use is written at most once a minute: otherwise each request would write a row.
const USE = `
  WITH found AS (SELECT id, name, scopes, last_used_at FROM api_keys WHERE digest = $1 AND ended_at IS NULL),
  used AS (
    UPDATE api_keys SET last_used_at = now() FROM found
    WHERE api_keys.id = found.id
      AND (found.last_used_at IS NULL OR found.last_used_at < now() - interval '1 minute')
  )
  SELECT name, scopes FROM found`

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

    /** Returns false if there is no such key in use. */
    async end (name: string, client: Queryable = database): Promise<boolean> {
      const { rowCount } = await client.query(
        'UPDATE api_keys SET ended_at = now() WHERE name = $1 AND ended_at IS NULL', [name])
      return rowCount === 1
    },

    /** Undefined if the key is unknown or has ended. */
    async use (value: string): Promise<Pick<ApiKey, 'name' | 'scopes'> | undefined> {
      const { rows } = await database.query<Pick<ApiKey, 'name' | 'scopes'>>(USE, [digest(value)])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('apiKeys', createApiKeys(app))
}, { name: 'api-keys', dependencies: ['database'] })
