import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { applicationConsents: ReturnType<typeof createApplicationConsents> }
}

/** What users have allowed applications. */
function createApplicationConsents ({ database }: FastifyInstance) {
  return {
    /** The scopes. */
    async find (userId: string, applicationId: string): Promise<string[]> {
      const { rows } = await database.query<{ scopes: string[] }>(
        'SELECT scopes FROM application_consents WHERE user_id = $1 AND application_id = $2', [userId, applicationId])
      return rows[0]?.scopes ?? []
    },

    /** Adds to what was allowed before. */
    async add (client: Queryable, userId: string, applicationId: string, scopes: string[]) {
      await client.query(`
        INSERT INTO application_consents AS c (user_id, application_id, scopes) VALUES ($1, $2, $3)
        ON CONFLICT (user_id, application_id) DO UPDATE SET granted_at = now(),
          scopes = ARRAY(SELECT DISTINCT unnest(c.scopes || excluded.scopes))`, [userId, applicationId, scopes])
    },
  }
}

export default fp(async function (app) {
  app.decorate('applicationConsents', createApplicationConsents(app))
}, { name: 'application-consents', dependencies: ['database'] })
