import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { importedHashes: ReturnType<typeof createImportedHashes> }
}

/** `sample` is a hash without its values. `work` is comparable within one scheme. */
export interface ImportedHash { scheme: string, sample: string, work: number }

/** The slowest hash of each scheme that was imported. */
function createImportedHashes ({ database }: FastifyInstance) {
  return {
    async note (client: Queryable, hashes: ImportedHash[]) {
      for (const { scheme, sample, work } of hashes) {
        await client.query(`
          INSERT INTO imported_hashes (scheme, sample, work) VALUES ($1, $2, $3)
          ON CONFLICT (scheme) DO UPDATE SET sample = $2, work = $3, imported_at = now()
          WHERE imported_hashes.work < $3`, [scheme, sample, work])
      }
    },

    async list (): Promise<ImportedHash[]> {
      const { rows } = await database.query<ImportedHash>('SELECT scheme, sample, work FROM imported_hashes')
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('importedHashes', createImportedHashes(app))
}, { name: 'imported-hashes', dependencies: ['database'] })
