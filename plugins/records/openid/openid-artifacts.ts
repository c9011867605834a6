import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../../../src/secrets/digest.ts'
import type { Queryable } from '../../infrastructure/database.ts'
import {
  GRANT_COLUMNS, grantValues, IS_LIVE, startGrant, type Grant, type NewGrant,
} from './application-grants.ts'

declare module 'fastify' {
  interface FastifyInstance { openidArtifacts: ReturnType<typeof createOpenidArtifacts> }
}

/** `grantId` is null for one without a grant, and then the rest of the grant is, too. */
interface Artifact extends Omit<Grant, 'grantId'> { grantId: string | null, payload: object, consumed: boolean }

interface NewArtifact {
  payload: object
  /** In seconds. */
  lifetime: number
  grantId?: string
}

/** The key of a row. */
export const artifactId = (kind: string, value: string) => digest(`${kind} ${value}`)

// Each row by its primary key: a join of the live ones in brackets would read them all first.
const FIND = `
  SELECT a.payload, a.consumed_at IS NOT NULL AS consumed, ${GRANT_COLUMNS}
  FROM openid_artifacts a
    LEFT JOIN application_grants g ON g.id = a.grant_id
    LEFT JOIN refresh_tokens s ON s.id = g.session_id
    LEFT JOIN users u ON u.id = g.user_id
  WHERE a.id = $1 AND a.expires_at > now() AND (a.grant_id IS NULL OR (g.ended_at IS NULL AND ${IS_LIVE}))`

// Nothing is saved if the grant is being removed with its application.
const SAVE = `
  INSERT INTO openid_artifacts (id, kind, payload, expires_at, grant_id)
  SELECT $1, $2, $3, now() + make_interval(secs => $4), $5
  WHERE $5::uuid IS NULL OR EXISTS (SELECT FROM application_grants WHERE id = $5 FOR KEY SHARE)
  ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at`

// One that has expired and was not removed yet does not count.
const SAVE_NEW = `
  INSERT INTO openid_artifacts AS a (id, kind, payload, expires_at)
  VALUES ($1, $2, '{}', now() + make_interval(secs => $3))
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at WHERE a.expires_at <= now()`

const SAVE_WITH_GRANT = `
  WITH granted AS (${startGrant(5)})
  INSERT INTO openid_artifacts (id, kind, payload, expires_at, grant_id)
  SELECT $1, $2, $3, now() + make_interval(secs => $4), id FROM granted`

/** Codes, access tokens, requests and interactions of the OpenID provider, by their values, which are not stored. */
function createOpenidArtifacts ({ database }: FastifyInstance) {
  return {
    /** Undefined also if the session or the grant behind it has ended. */
    async find (kind: string, value: string): Promise<Artifact | undefined> {
      const values = [artifactId(kind, value)]
      const { rows } = await database.query<Artifact>({ name: 'artifact', text: FIND, values })
      return rows[0]
    },

    async save (kind: string, value: string, { payload, lifetime, grantId }: NewArtifact) {
      await database.query({
        name: 'save-artifact',
        text: SAVE,
        values: [artifactId(kind, value), kind, payload, lifetime, grantId],
      })
    },

    /** A code, and the grant that begins with it. Returns false if the session has ended. */
    async saveWithGrant (
      client: Queryable,
      kind: string,
      value: string,
      { payload, lifetime }: NewArtifact,
      grant: NewGrant
    ): Promise<boolean> {
      const { rowCount } = await client.query({
        name: 'save-code',
        text: SAVE_WITH_GRANT,
        values: [artifactId(kind, value), kind, payload, lifetime, ...grantValues(grant)],
      })
      return rowCount === 1
    },

    /** Returns false if it is there already. Atomic: only one concurrent caller succeeds. */
    async saveNew (kind: string, value: string, lifetime: number): Promise<boolean> {
      const { rowCount } = await database.query({
        name: 'save-new-artifact',
        text: SAVE_NEW,
        values: [artifactId(kind, value), kind, lifetime],
      })
      return rowCount === 1
    },

    /** Returns false if it was consumed before. Atomic: only one concurrent caller succeeds. */
    async consume (client: Queryable, kind: string, value: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'UPDATE openid_artifacts SET consumed_at = now() WHERE id = $1 AND consumed_at IS NULL',
        [artifactId(kind, value)])
      return rowCount === 1
    },

    async remove (client: Queryable, kind: string, value: string) {
      await client.query('DELETE FROM openid_artifacts WHERE id = $1', [artifactId(kind, value)])
    },
  }
}

export default fp(async function (app) {
  app.decorate('openidArtifacts', createOpenidArtifacts(app))
}, { name: 'openid-artifacts', dependencies: ['database'] })
