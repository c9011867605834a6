import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUniqueViolation } from '../../src/database/unique-violation.ts'
import { InvalidLink } from '../../src/errors.ts'
import { InvalidCode } from '../../src/factors/errors.ts'
import type { Queryable } from '../infrastructure/database.ts'
import { askedBySession } from '../records/accounts/mail-codes.ts'

declare module 'fastify' {
  interface FastifyInstance { emailChanges: ReturnType<typeof createEmailChanges> }
}

/** Changes of the address of an account. Each is one transaction, together with its event and its mail. */
function createEmailChanges (app: FastifyInstance) {
  const { addressLinks, database, emailAddresses, events, mail, mailCodes, oneTimeTokens, sessionsStore } = app
  const { users } = app

  /** The link proves the address. Returns the former one. */
  async function setEmail (client: Queryable, request: FastifyRequest, userId: string, email: string) {
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
      throw isUniqueViolation(error) ? new InvalidLink() : error
    })
  }

  /** A former address that was never proved is not told and cannot undo it: it may be that of a stranger. */
  async function finish (client: Queryable, request: FastifyRequest, userId: string, email: string) {
    const former = await setEmail(client, request, userId, email)
    await events.record('email_changed', request, userId, client)
    if (!former.isProven) return
    const link = await addressLinks.addUndo(client, userId, former.email)
    await mail.queue(client, { kind: 'email-changed', email: former.email, userId, link })
  }

  return {
    /** Nothing changes before the link is opened. Does not reveal whether another account has the address. */
    async request (email: string, request: FastifyRequest) {
      const { userId, sid } = request.user
      const askedBy = askedBySession('change-email', sid, email)
      await database.transact(async client => {
        const link = await addressLinks.addChange(client, request.user, email)
        await mailCodes.begin(client, { purpose: 'change-email', email, askedBy, userId })
        await events.record('email_change_requested', request, userId, client)
        await mail.queue(client, { kind: 'change-email', email, userId, link })
      })
    },

    async confirm (token: string, request: FastifyRequest) {
      await transact(async client => {
        const found = await addressLinks.use(client, token, 'change_email')
        if (!found) throw new InvalidLink()
        await finish(client, request, found.userId, found.email)
      })
    },

    /** The same with the code of the mail, in the session that asked for the change. */
    async confirmWithCode (code: string, request: FastifyRequest) {
      const { userId, sid } = request.user
      const email = await addressLinks.requestedAddress(request.user)
      const tried = email && await mailCodes.try(askedBySession('change-email', sid, email), 'change-email', code)
      if (!tried || !tried.isRight) throw new InvalidCode(403)
      await transact(async client => {
        if (!await addressLinks.useRequested(client, request.user, email)) throw new InvalidLink()
        await finish(client, request, userId, email)
      })
    },

    /** Restores the former address and ends every session: the change may have been made by a thief. */
    async undo (token: string, request: FastifyRequest) {
      await transact(async client => {
        const found = await addressLinks.use(client, token, 'undo_email')
        if (!found) throw new InvalidLink()
        const { userId, email } = found
        const former = await setEmail(client, request, userId, email)
        await addressLinks.endUndos(client, userId)
        await sessionsStore.revokeAll(client, userId, 'email_change_undone')
        await users.renewNoPassword(client, userId)
        await events.record('email_change_undone', request, userId, client)
        await mail.queue(client, { kind: 'email-restored', email })
        await mail.queue(client, { kind: 'email-displaced', email: former.email, userId })
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('emailChanges', createEmailChanges(app))
}, {
  name: 'email-changes',
  dependencies: [
    'address-links', 'database', 'email-addresses', 'events', 'mail', 'mail-codes', 'one-time-tokens',
    'sessions-store', 'users',
  ],
})
