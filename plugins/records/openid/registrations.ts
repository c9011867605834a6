import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { SelfDescription } from '../../../src/openid/self-description.ts'
import type { Queryable } from '../../infrastructure/database.ts'
import type { Application } from './applications.ts'

declare module 'fastify' {
  interface FastifyInstance { registrations: ReturnType<typeof createRegistrations> }
}

interface Described extends SelfDescription { id: string }

interface NewRegistration extends Described {
  /** The digest. */
  secret?: Buffer
}

/** One with a metadata document. */
interface Documented extends Described { documentUrl: string, fetchedAt: Date }

/** Applications that no user has allowed yet: anyone can add them. A new one replaces the oldest. */
export const MAX_WAITING = 1_000
/** Applications that registered themselves, in all. A user who allows one more gets an error. */
export const MAX_REGISTERED = 100_000

/** One registration at a time, so that two cannot both take the last place. */
const LOCK = 5_091_734

const IS_FULL = `
  SELECT (SELECT count(*) FROM (SELECT FROM applications
    WHERE registration IS NOT NULL LIMIT ${MAX_REGISTERED}) registered) >= ${MAX_REGISTERED} AS "isFull"`

const MAKE_ROOM = `
  DELETE FROM applications WHERE allowed_at IS NULL AND id IN (
    SELECT id FROM applications WHERE registration IS NOT NULL AND allowed_at IS NULL
    ORDER BY created_at DESC OFFSET ${MAX_WAITING - 1})`

const ADD = `
  INSERT INTO applications (id, name, kind, redirect_uris, keys, dpop_required, registration)
  VALUES ($1, $2, $3, $4, $5, $6, 'dynamic')`

const ADD_DOCUMENTED = `
  INSERT INTO applications
    (id, name, kind, redirect_uris, keys, dpop_required, registration, document_url, fetched_at, allowed_at)
  VALUES ($1, $2, $3, $4, $5, $6, 'document', $7, $8, now())
  ON CONFLICT (id) DO UPDATE SET allowed_at = now()`

const UPDATE = `
  UPDATE applications SET fetched_at = $8, name = $2, kind = $3, redirect_uris = $4, keys = $5, dpop_required = $6,
    changed_at = CASE WHEN (name, kind, redirect_uris, keys, dpop_required) IS DISTINCT FROM
      ($2, $3, $4::text[], $5::jsonb, $6) THEN now() ELSE changed_at END
  WHERE id = $1 AND document_url = $7`

const valuesOf = ({ id, name, kind, redirectUris, keys, dpopRequired }: Described) =>
  [id, name, kind, redirectUris, JSON.stringify(keys), dpopRequired]

const valuesWithDocument = (described: Documented) =>
  [...valuesOf(described), described.documentUrl, described.fetchedAt]

/** Applications that registered themselves. */
function createRegistrations ({ applications, database }: FastifyInstance) {
  async function isFull (client: Queryable): Promise<boolean> {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    const { rows } = await client.query<{ isFull: boolean }>(IS_FULL)
    return rows[0]?.isFull ?? false
  }

  return {
    /** Returns false if there are too many. */
    async add (registration: NewRegistration): Promise<boolean> {
      return database.transact(async client => {
        if (await isFull(client)) return false
        await client.query(MAKE_ROOM)
        await client.query(ADD, valuesOf(registration))
        if (registration.secret) await applications.addSecret(client, registration.id, registration.secret)
        return true
      })
    },

    /** As its document says now. Returns false if it is not stored. */
    async update (described: Documented): Promise<boolean> {
      return (await database.query(UPDATE, valuesWithDocument(described))).rowCount === 1
    },

    /**
     * When a user has allowed it. One with a document is stored now: a browser can be made to ask for any number of
     * them. Returns false if it has lost its place, or there are too many.
     */
    async markAllowed (client: Queryable, application: Application): Promise<boolean> {
      const { id, documentUrl, fetchedAt } = application
      const { rowCount } = await client.query('UPDATE applications SET allowed_at = now() WHERE id = $1', [id])
      if (rowCount || !documentUrl || !fetchedAt) return rowCount === 1
      if (await isFull(client)) return false
      await client.query(ADD_DOCUMENTED, valuesWithDocument({ ...application, documentUrl, fetchedAt }))
      return true
    },
  }
}

export default fp(async function (app) {
  app.decorate('registrations', createRegistrations(app))
}, { name: 'registrations', dependencies: ['applications', 'database'] })
