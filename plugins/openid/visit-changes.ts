import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { visits } from '../../src/openid/visit.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { Visit } from './openid.ts'

declare module 'fastify' {
  interface FastifyInstance { visitChanges: ReturnType<typeof createVisitChanges> }
}

type Change = (client: Queryable) => Promise<void>

/** What the response to a request changes. If PostgreSQL does not get it, the request can be sent again. */
function createVisitChanges ({ database }: FastifyInstance) {
  return {
    /** Together with the other changes of the response. */
    async later (change: Change) {
      const visit = visits.getStore() as Visit | undefined
      if (visit) visit.changes.push(change)
      else await change(database)
    },

    /** A single change is a single statement. */
    async apply (changes: Change[]) {
      if (changes.length < 2) return changes[0]?.(database)
      await database.transact(async client => { for (const change of changes) await change(client) })
    },
  }
}

export default fp(async function (app) {
  app.decorate('visitChanges', createVisitChanges(app))
}, { name: 'visit-changes', dependencies: ['database'] })
