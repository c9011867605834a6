import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Conflict, Unauthorized } from '../../src/errors.ts'
import { isProtected } from '../../src/factors/methods.ts'
import type { FactorChange } from '../../src/mail/values.ts'
import { configuredProviders } from '../../src/providers/configured.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { EventKind } from '../records/audit/events.ts'
import type { SessionReference } from '../sessions/sessions.ts'

declare module 'fastify' {
  interface FastifyInstance { factorChanges: ReturnType<typeof createFactorChanges> }
}

/** Each change is recorded as an event of the same name and mailed to the owner. */
type Change = FactorChange & EventKind

function createFactorChanges (app: FastifyInstance) {
  const { config, database, events, factors, mail, sessionsStore } = app
  const usable = configuredProviders(config).map(({ key }) => key)

  /** After a removal, with the account locked: of two concurrent removals the second one sees the first. */
  async function requireRest (client: Queryable, userId: string) {
    if (!await factors.hasWayIn(client, userId, usable)) {
      throw new Conflict('This is the last way to sign in to the account. Add another one first.')
    }
    if (config.SECOND_FACTOR === 'required' && !isProtected(await factors.of(userId, client))) {
      throw new Conflict('A second factor is required. Add another one first.')
    }
  }

  /** In the transaction of the change. */
  async function announce (client: Queryable, request: FastifyRequest, change: Change, userId: string, email: string) {
    await events.record(change, request, userId, client)
    await mail.queue(client, { kind: 'factors-changed', email, change })
  }

  return {
    announce,

    /**
     * Changes how the user of `session` signs in: `work`, the event and the mail in one transaction.
     * Logins and remembered browsers that were checked against the factors before become invalid.
     */
    async run<T> (
      request: FastifyRequest,
      change: Change,
      work: (client: Queryable) => Promise<T>,
      { userId, sid }: SessionReference = request.user
    ): Promise<T> {
      return database.transact(async client => {
        const email = await factors.beginChange(client, userId)
        // The session may have ended while the request was under way, as with the first proof of the address.
        if (!email || !await sessionsStore.isLive(userId, sid, client)) throw new Unauthorized()
        const result = await work(client)
        if (change.endsWith('_removed')) await requireRest(client, userId)
        await announce(client, request, change, userId, email)
        return result
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('factorChanges', createFactorChanges(app))
}, { name: 'factor-changes', dependencies: ['database', 'events', 'factors', 'mail', 'sessions-store'] })
