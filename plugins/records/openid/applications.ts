import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isUuid } from '../../../src/database/uuid.ts'
import type { ApplicationSettings } from '../../../src/openid/application-rules.ts'
import { COMMAND_LINE } from '../../../src/openid/command-line.ts'
import type { ApplicationKind } from '../../../src/openid/redirect-uris.ts'
import type { Registration } from '../../../src/openid/self-description.ts'
import { isStoredTime, readCursor, writeCursor } from '../../../src/operators/list-parameters.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { applications: ReturnType<typeof createApplications> }
}

export interface Application extends ApplicationSettings {
  /** The client_id. */
  id: string
  kind: ApplicationKind
  /** How it registered itself. Null if an operator added it. */
  registration: Registration | null
  /** The address of its metadata document, which is then its client_id. */
  documentUrl: string | null
  /** When its document was last read. */
  fetchedAt: Date | null
  createdAt: Date
  changedAt: Date
}

/** `secrets`: the digests of those that are accepted. */
export interface ApplicationWithSecrets extends Application { secrets: Buffer[] }

interface ApplicationInUse extends Application {
  lastUsedAt: Date | null
  /** Since when it waits to be confirmed after a restore. Until then it is refused. */
  suspendedAt: Date | null
  /** How many accounts are signed in to it, at most MAX_COUNTED. */
  users: number
}

export type NewApplication = ApplicationSettings & Pick<Application, 'id' | 'kind'>

const COLUMNS = `a.id, a.name, a.kind, a.redirect_uris AS "redirectUris", a.post_logout_uris AS "postLogoutUris",
  a.backchannel_logout_url AS "backchannelLogoutUrl", a.trusted, a.pkce_optional AS "pkceOptional",
  a.device, a.resources, a.serves, a.keys, a.dpop_required AS "dpopRequired",
  a.registration, a.document_url AS "documentUrl", a.fetched_at AS "fetchedAt",
  a.created_at AS "createdAt", a.changed_at AS "changedAt"`

/** Enough to know whether an application is used much. Counting a million takes seconds. */
const MAX_COUNTED = 10_000

const IN_USE = `
  SELECT ${COLUMNS}, a.last_used_at AS "lastUsedAt", a.suspended_at AS "suspendedAt", (
    SELECT count(DISTINCT user_id)::int FROM (
      SELECT g.user_id FROM application_grants g JOIN refresh_tokens s ON s.id = g.session_id
      WHERE g.application_id = a.id AND g.ended_at IS NULL AND s.revoked_at IS NULL AND s.expires_at > now()
      LIMIT ${MAX_COUNTED}) live) AS users
  FROM applications a`

/** How long the former secret is also accepted. */
const OVERLAP = '24 hours'

/** Applications that sign users in with OpenID Connect. */
function createApplications ({ database }: FastifyInstance) {
  async function addSecret (client: Queryable, id: string, digest: Buffer) {
    await client.query('INSERT INTO application_secrets (application_id, digest) VALUES ($1, $2)', [id, digest])
  }

  return {
    /** Undefined also for one that waits to be confirmed after a restore. */
    async find (id: string): Promise<ApplicationWithSecrets | undefined> {
      const { rows } = await database.query<ApplicationWithSecrets>({
        name: 'application',
        text: `
          SELECT ${COLUMNS}, ARRAY(
            SELECT digest FROM application_secrets
            WHERE application_id = a.id AND (ends_at IS NULL OR ends_at > now())) AS secrets
          FROM applications a WHERE a.id = $1 AND a.suspended_at IS NULL`,
        values: [id],
      })
      return rows[0]
    },

    /** Without secrets: those that operators added. */
    async list (): Promise<ApplicationInUse[]> {
      const { rows } = await database.query<ApplicationInUse>(
        `${IN_USE} WHERE a.registration IS NULL ORDER BY lower(a.name), a.id`)
      return rows
    },

    /** A page of those that registered themselves and that a user has allowed, the newest first. */
    async listRegistered (limit: number, cursor?: string) {
      const { key, id } = cursor === undefined ? {} : readCursor(cursor, isStoredTime, isUuid)
      const { rows } = await database.query<ApplicationInUse & { key: string }>(`
        SELECT page.*, (page."createdAt" AT TIME ZONE 'UTC')::text || '+00' AS key FROM (
          ${IN_USE} WHERE a.registration IS NOT NULL AND a.allowed_at IS NOT NULL
            AND ($2::timestamptz IS NULL OR (a.created_at, a.id) < ($2::timestamptz, $3::uuid))
          ORDER BY a.created_at DESC, a.id DESC LIMIT $1) page
        ORDER BY page."createdAt" DESC, page.id DESC`, [limit + 1, key, id])
      const last = rows[limit - 1]
      const applications: ApplicationInUse[] = rows.slice(0, limit).map(({ key: _, ...application }) => application)
      return { applications, next: rows.length > limit && last ? writeCursor(last) : null }
    },

    async findInUse (id: string): Promise<ApplicationInUse | undefined> {
      const { rows } = await database.query<ApplicationInUse>(`${IN_USE} WHERE a.id = $1`, [id])
      return rows[0]
    },

    async add (client: Queryable, application: NewApplication) {
      const { id, name, kind, redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional } = application
      const { resources, serves, keys, dpopRequired, device } = application
      await client.query(`
        INSERT INTO applications (id, name, kind, redirect_uris, post_logout_uris, backchannel_logout_url, trusted,
          pkce_optional, resources, serves, keys, dpop_required, device)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [id, name, kind, redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional, resources, serves,
        JSON.stringify(keys), dpopRequired, device])
    },

    /** The application of `gatehouse login`, which is added when it is first used. */
    async addCommandLine () {
      await database.query(`
        INSERT INTO applications (id, name, kind, trusted, device) VALUES ($1, $2, 'public', true, true)
        ON CONFLICT DO NOTHING`, [COMMAND_LINE.id, COMMAND_LINE.name])
    },

    /** `backchannelLogoutUrl` and `serves`: null removes it. Returns false if there is no such application. */
    async change (client: Queryable, id: string, changed: Partial<ApplicationSettings>): Promise<boolean> {
      const { name, redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional } = changed
      const { resources, serves, keys, dpopRequired, device } = changed
      const { rowCount } = await client.query(`
        UPDATE applications SET name = coalesce($2, name), redirect_uris = coalesce($3, redirect_uris),
          post_logout_uris = coalesce($4, post_logout_uris), trusted = coalesce($5, trusted),
          pkce_optional = coalesce($6, pkce_optional), changed_at = now(),
          backchannel_logout_url = CASE WHEN $7 THEN $8 ELSE backchannel_logout_url END,
          resources = coalesce($9, resources), serves = CASE WHEN $10 THEN $11 ELSE serves END,
          keys = coalesce($12, keys), dpop_required = coalesce($13, dpop_required),
          device = coalesce($14, device)
        WHERE id = $1`,
      [id, name, redirectUris, postLogoutUris, trusted, pkceOptional, backchannelLogoutUrl !== undefined,
        backchannelLogoutUrl, resources, serves !== undefined, serves, keys && JSON.stringify(keys), dpopRequired,
        device])
      return rowCount === 1
    },

    /** After a restore. Returns false if no such application is suspended. */
    async confirm (client: Queryable, id: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'UPDATE applications SET suspended_at = NULL WHERE id = $1 AND suspended_at IS NOT NULL', [id])
      return rowCount === 1
    },

    /** Also its secrets, grants, consents and codes. Returns false if there is no such application. */
    async remove (client: Queryable, id: string): Promise<boolean> {
      const { rowCount } = await client.query('DELETE FROM applications WHERE id = $1', [id])
      return rowCount === 1
    },

    addSecret,

    /**
     * The former secret is accepted for another day, and none before it: two rotations end one that has leaked.
     * Returns false if there is no such application. Its row is locked first, so that one rotation waits for another.
     */
    async rotateSecret (client: Queryable, id: string, digest: Buffer): Promise<boolean> {
      const { rowCount } = await client.query('UPDATE applications SET changed_at = now() WHERE id = $1', [id])
      if (!rowCount) return false
      await client.query('DELETE FROM application_secrets WHERE application_id = $1 AND ends_at IS NOT NULL', [id])
      await client.query(
        `UPDATE application_secrets SET ends_at = now() + interval '${OVERLAP}' WHERE application_id = $1`, [id])
      await addSecret(client, id, digest)
      return true
    },

    /** For the token endpoint, after the application has authenticated. */
    async markUsed (id: string) {
      await database.query(`
        UPDATE applications SET last_used_at = now()
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`, [id])
    },
  }
}

export default fp(async function (app) {
  app.decorate('applications', createApplications(app))
}, { name: 'applications', dependencies: ['database'] })
