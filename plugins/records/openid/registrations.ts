import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { SelfDescription } from '../../../src/openid/self-description.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { registrations: ReturnType<typeof createRegistrations> }
}

interface NewRegistration extends SelfDescription {
  id: string
  /** Of one that registered itself with a metadata document. */
  documentUrl?: string
  /** The digest. */
  secret?: Buffer
}

/** Of those that no user has allowed yet, which anyone can add. */
export const MAX_WAITING = 1_000
export const MAX_REGISTERED = 100_000

/** One registration at a time, so that two cannot both take the last place. */
const LOCK = 5_091_734

const IS_FULL = `
  SELECT (SELECT count(*) FROM (SELECT FROM applications
      WHERE registration IS NOT NULL AND allowed_at IS NULL LIMIT ${MAX_WAITING}) waiting) >= ${MAX_WAITING}
    OR (SELECT count(*) FROM (SELECT FROM applications
      WHERE registration IS NOT NULL LIMIT ${MAX_REGISTERED}) registered) >= ${MAX_REGISTERED} AS "isFull"`

const ADD = `
  INSERT INTO applications
    (id, name, kind, redirect_uris, keys, dpop_required, registration, document_url, fetched_at)
  VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7::text IS NULL THEN 'dynamic' ELSE 'document' END, $7,
    CASE WHEN $7::text IS NOT NULL THEN now() END)
  ON CONFLICT (id) DO NOTHING`

const UPDATE = `
  UPDATE applications SET fetched_at = now(), name = $2, kind = $3, redirect_uris = $4, keys = $5,
    dpop_required = $6, changed_at = CASE
      WHEN (name, kind, redirect_uris, keys, dpop_required) IS DISTINCT FROM ($2, $3, $4::text[], $5::jsonb, $6)
      THEN now() ELSE changed_at END
  WHERE id = $1 AND document_url = $7`

const valuesOf = (registration: NewRegistration) => {
  const { id, name, kind, redirectUris, keys, dpopRequired, documentUrl } = registration
  return [id, name, kind, redirectUris, JSON.stringify(keys), dpopRequired, documentUrl]
}

/** Applications that registered themselves. */
function createRegistrations ({ applications, database }: FastifyInstance) {
  return {
    /** Returns false if there are too many. */
    async add (registration: NewRegistration): Promise<boolean> {
      return database.transact(async client => {
        await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
        const { rows } = await client.query<{ isFull: boolean }>(IS_FULL)
        if (rows[0]?.isFull) return false
        await client.query(ADD, valuesOf(registration))
        if (registration.secret) await applications.addSecret(client, registration.id, registration.secret)
        return true
      })
    },

    /** As its document says now. */
    async update (registration: NewRegistration) {
      await database.query(UPDATE, valuesOf(registration))
    },

    /** When a user has allowed it. */
    async markAllowed (client: Queryable, id: string) {
      await client.query('UPDATE applications SET allowed_at = now() WHERE id = $1', [id])
    },
  }
}

export default fp(async function (app) {
  app.decorate('registrations', createRegistrations(app))
}, { name: 'registrations', dependencies: ['applications', 'database'] })
