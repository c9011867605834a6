import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { COMMAND_LINE } from '../../src/operators/actors.ts'
import type { Scope } from '../../src/operators/scopes.ts'

declare module 'fastify' {
  interface FastifyInstance { manageApiKeys: ReturnType<typeof createManageApiKeys> }
}

/** Keys of the operator API, created and ended with an event that says who did it. */
function createManageApiKeys ({ apiKeys, database, events }: FastifyInstance) {
  return {
    /** Returns the key, which cannot be shown again, or undefined if the name is taken. */
    add: (name: string, scopes: Scope[], by = COMMAND_LINE) => database.transact(async client => {
      const key = await apiKeys.add(name, scopes, client)
      if (key) await events.recordOfService('key_added', name, client, by)
      return key
    }),

    /** After a restore. Returns false if no such key is suspended, or the name is in use again. */
    confirm: (name: string, by = COMMAND_LINE) => database.transact(async client => {
      const confirmed = await apiKeys.confirm(name, client)
      if (confirmed) await events.recordOfService('key_added', name, client, by)
      return confirmed
    }),

    /** Returns false if there is no such key in use. */
    end: (name: string, by = COMMAND_LINE) => database.transact(async client => {
      const ended = await apiKeys.end(name, client)
      if (ended) await events.recordOfService('key_ended', name, client, by)
      return ended
    }),
  }
}

export default fp(async function (app) {
  app.decorate('manageApiKeys', createManageApiKeys(app))
}, { name: 'manage-api-keys', dependencies: ['api-keys', 'database', 'events'] })
