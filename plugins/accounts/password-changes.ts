import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUniqueViolation } from '../../src/database/unique-violation.ts'
import { Conflict, InvalidLink, WrongPassword } from '../../src/errors.ts'
import type { Claimant } from '../../src/passwords/account-shares.ts'
import type { User } from '../records/accounts/users.ts'
import type { Successor } from '../sessions/replace-session.ts'

declare module 'fastify' {
  interface FastifyInstance { passwordChanges: ReturnType<typeof createPasswordChanges> }
}

const NOT_ADDED = 'Another account has this username, or this one got a password meanwhile.'

/** Changes of the password of an account. Each is one transaction, together with its event and its mail. */
function createPasswordChanges (app: FastifyInstance) {
  const { addressProof, database, events, mail, oneTimeTokens, passwords, replaceSession, sessionsStore, users } = app

  return {
    /** Also proves the address, since the link came by mail, and ends every session. */
    async reset (token: string, passwordHash: string, request: FastifyRequest) {
      await database.transact(async client => {
        const userId = await oneTimeTokens.consume(client, token, 'reset')
        const user = userId ? await users.setHash(client, userId, passwordHash) : undefined
        if (!user) throw new InvalidLink()
        await oneTimeTokens.deleteUnused(client, user.id)
        await sessionsStore.revokeAll(client, user.id, 'password_reset')
        await addressProof.accept(client, request, user.id)
        await events.record('password_reset', request, user.id, client)
        await mail.queue(client, { kind: 'password-changed', email: user.email })
      })
    },

    /** Ends all other sessions and replaces this one, so that copies of its cookies end too. */
    async change (user: User, passwordHash: string, request: FastifyRequest): Promise<Successor> {
      return database.transact(async client => {
        if (!await users.replaceHash(client, user.id, user.passwordHash, passwordHash)) throw new WrongPassword()
        await oneTimeTokens.deleteUnused(client, user.id)
        const successor = await replaceSession.begin(client, request, request.user)
        await sessionsStore.revokeAll(client, user.id, 'password_changed', successor.session.id)
        await events.record('password_changed', request, user.id, client)
        await mail.queue(client, { kind: 'password-changed', email: user.email })
        return successor
      })
    },

    /** For an account that has none, or whose password an operator expired. Otherwise as above. */
    async add (user: User, passwordHash: string, request: FastifyRequest): Promise<Successor> {
      return database.transact(async client => {
        // Usernames are unique among accounts with a password.
        const added = await users.replaceHash(client, user.id, user.passwordHash, passwordHash).catch(error => {
          if (isUniqueViolation(error)) return false
          throw error
        })
        if (!added) throw new Conflict(NOT_ADDED)
        const successor = await replaceSession.begin(client, request, request.user)
        await sessionsStore.revokeAll(client, user.id, 'password_changed', successor.session.id)
        await events.record('password_added', request, user.id, client)
        await mail.queue(client, { kind: 'factors-changed', email: user.email, change: 'password_added' })
        return successor
      })
    },

    /** Replaces a hash of a lower cost than configured. Returns the hash that is stored afterwards. */
    async renew (user: User, password: string, claimant: Claimant): Promise<string | null> {
      if (!user.passwordHash || !passwords.needsRenewal(user.passwordHash)) return user.passwordHash
      const renewed = await passwords.hash(password, claimant)
      if (await users.replaceHash(database, user.id, user.passwordHash, renewed, true)) return renewed
      // A concurrent login has renewed it, or the password was changed.
      const current = await users.findById(user.id)
      const matches = current && await passwords.verify(password, current.passwordHash, claimant)
      return matches ? current.passwordHash : user.passwordHash
    },
  }
}

export default fp(async function (app) {
  app.decorate('passwordChanges', createPasswordChanges(app))
}, {
  name: 'password-changes',
  dependencies: [
    'address-proof', 'database', 'events', 'mail', 'one-time-tokens', 'passwords', 'replace-session', 'sessions-store',
    'users',
  ],
})
