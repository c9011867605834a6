import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { manageOperators: ReturnType<typeof createManageOperators> }
}

const COMMAND_LINE = 'command line'

/** Which accounts are operators, with an event that says who decided it. */
function createManageOperators ({ database, events, operators }: FastifyInstance) {
  return {
    /** Returns false if the account was an operator already. */
    add: (userId: string, by = COMMAND_LINE) => database.transact(async client => {
      const added = await operators.add(userId, client)
      if (added) await events.recordByOperator('operator_added', userId, client, by)
      return added
    }),

    /** Returns false if the account was no operator. */
    remove: (userId: string, by = COMMAND_LINE) => database.transact(async client => {
      const removed = await operators.remove(userId, client)
      if (removed) await events.recordByOperator('operator_removed', userId, client, by)
      return removed
    }),
  }
}

export default fp(async function (app) {
  app.decorate('manageOperators', createManageOperators(app))
}, { name: 'manage-operators', dependencies: ['database', 'events', 'operators'] })
