import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { applications: ReturnType<typeof createApplications> }
}

/** `web`: with a secret. `public`: in a browser or on a device, without one. `machine`: with one, but without users. */
export type ApplicationKind = 'web' | 'public' | 'machine'

export interface Application {
  /** The client_id. */
  id: string
  name: string
  kind: ApplicationKind
  redirectUris: string[]
  postLogoutUris: string[]
  backchannelLogoutUrl: string | null
  /** Needs no consent of the user. */
  trusted: boolean
  /** A confidential client that cannot send PKCE. */
  pkceOptional: boolean
  createdAt: Date
  changedAt: Date
}

/** `secrets`: the digests of those that are accepted. */
export interface ApplicationWithSecrets extends Application { secrets: Buffer[] }

export type NewApplication = Omit<Application, 'createdAt' | 'changedAt'>

const COLUMNS = `a.id, a.name, a.kind, a.redirect_uris AS "redirectUris", a.post_logout_uris AS "postLogoutUris",
  a.backchannel_logout_url AS "backchannelLogoutUrl", a.trusted, a.pkce_optional AS "pkceOptional",
  a.created_at AS "createdAt", a.changed_at AS "changedAt"`

/** Applications that sign users in with OpenID Connect. */
function createApplications ({ database }: FastifyInstance) {
  return {
    async find (id: string): Promise<ApplicationWithSecrets | undefined> {
      const { rows } = await database.query<ApplicationWithSecrets>({
        name: 'application',
        text: `
          SELECT ${COLUMNS}, ARRAY(
            SELECT digest FROM application_secrets
            WHERE application_id = a.id AND (ends_at IS NULL OR ends_at > now())) AS secrets
          FROM applications a WHERE a.id = $1`,
        values: [id],
      })
      return rows[0]
    },

    async add (client: Queryable, application: NewApplication) {
      const { id, name, kind, redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional } = application
      await client.query(`
        INSERT INTO applications
          (id, name, kind, redirect_uris, post_logout_uris, backchannel_logout_url, trusted, pkce_optional)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, name, kind, redirectUris, postLogoutUris, backchannelLogoutUrl, trusted, pkceOptional])
    },

    async addSecret (client: Queryable, id: string, digest: Buffer) {
      await client.query('INSERT INTO application_secrets (application_id, digest) VALUES ($1, $2)', [id, digest])
    },
  }
}

export default fp(async function (app) {
  app.decorate('applications', createApplications(app))
}, { name: 'applications', dependencies: ['database'] })
