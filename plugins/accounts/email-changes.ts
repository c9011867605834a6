import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { InvalidLink } from '../../src/errors.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { emailChanges: ReturnType<typeof createEmailChanges> }
}

const UNIQUE_VIOLATION = '23505'

/** Changes of the address of an account. Each is one transaction, together with its event and its mail. */
function createEmailChanges (app: FastifyInstance) {
  const { database, emailAddresses, events, mail, oneTimeTokens, sessionsStore } = app

  /** The link proves the address. Returns the former one. */
  async function setEmail (client: Queryable, request: FastifyRequest, userId: string, email: string): Promise<string> {
    const removed = await emailAddresses.removeUnproven(client, userId, email)
    for (const id of removed) await events.record('account_deleted', request, id, client)
    const former = await emailAddresses.replace(client, userId, email)
    if (!former) throw new InvalidLink()
    await oneTimeTokens.deleteUnused(client, userId)
    return former
  }

  /** Another account that has proved the address keeps it. */
  async function transact (work: (client: Queryable) => Promise<void>) {
    await database.transact(work).catch(error => {
      throw error.code === UNIQUE_VIOLATION ? new InvalidLink() : error
    })
  }

  return {
    /** Nothing changes before the link is opened. Does not reveal whether another account has the address. */
    async request (email: string, request: FastifyRequest) {
      const { userId } = request.user
      await database.transact(async client => {
        await events.record('email_change_requested', request, userId, client)
        await mail.queue(client, { kind: 'change-email', email, userId })
      })
    },

    async confirm (token: string, request: FastifyRequest) {
      await transact(async client => {
        const found = await oneTimeTokens.consumeAddress(client, token, 'change_email')
        if (!found) throw new InvalidLink()
        const former = await setEmail(client, request, found.userId, found.email)
        await events.record('email_changed', request, found.userId, client)
        await mail.queue(client, { kind: 'email-changed', email: former, userId: found.userId })
      })
    },

    /** Restores the former address and ends every session: the change may have been made by a thief. */
    async undo (token: string, request: FastifyRequest) {
      await transact(async client => {
        const found = await oneTimeTokens.consumeAddress(client, token, 'undo_email')
        if (!found) throw new InvalidLink()
        const { id, userId, email } = found
        await setEmail(client, request, userId, email)
        await oneTimeTokens.deleteLaterUndos(client, userId, id)
        await sessionsStore.revokeAll(client, userId, 'email_change_undone')
        await events.record('email_change_undone', request, userId, client)
        await mail.queue(client, { kind: 'email-restored', email })
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('emailChanges', createEmailChanges(app))
}, {
  name: 'email-changes',
  dependencies: ['database', 'email-addresses', 'events', 'mail', 'one-time-tokens', 'sessions-store'],
})
