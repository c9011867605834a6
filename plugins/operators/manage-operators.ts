import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { COMMAND_LINE } from '../../src/operators/actors.ts'
import type { Role } from '../../src/operators/roles.ts'

declare module 'fastify' {
  interface FastifyInstance { manageOperators: ReturnType<typeof createManageOperators> }
}

/** Which accounts are operators, and their roles, with an event that says who decided it. */
function createManageOperators ({ addressLinks, database, events, operators }: FastifyInstance) {
  return {
    /**
     * Without a role, one who waits to be confirmed after a restore gets the former one, and others become
     * administrators. Returns the role, or undefined if the account was an operator already.
     */
    add: (userId: string, role?: Role, by = COMMAND_LINE) => database.transact(async client => {
      const given = await operators.add(userId, role, client)
      if (!given) return undefined
      // Otherwise a key could choose the address of an operator shortly before.
      await addressLinks.endChangesByOperator(client, userId)
      await events.recordByOperator('operator_added', userId, client, by, given)
      return given
    }),

    /** Sessions go on with the new role at once. Returns false if the account is no operator, or had this role. */
    changeRole: (userId: string, role: Role, by = COMMAND_LINE) => database.transact(async client => {
      const changed = await operators.changeRole(userId, role, client)
      if (changed) await events.recordByOperator('operator_role_changed', userId, client, by, role)
      return changed
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
}, { name: 'manage-operators', dependencies: ['address-links', 'database', 'events', 'operators'] })
