import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import formats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { RegisterSchema } from '../../schemas/accounts.ts'
import { Conflict, HttpError } from '../../src/errors.ts'
import type { NewUser, User } from '../records/users.ts'

declare module 'fastify' {
  interface FastifyInstance { administration: ReturnType<typeof createAdministration> }
}

// TypeBox has no email format of its own: use the one that Fastify uses.
const EMAIL = formats.default.get('email') as RegExp
FormatRegistry.Set('email', value => EMAIL.test(value))

/** Changes that an operator makes on the command line. Each is one transaction, together with its event. */
function createAdministration (app: FastifyInstance) {
  const { config, database, events, factors, mail, oneTimeTokens, sessionsStore, users } = app

  return {
    /** The same rules as for a registration. */
    requireValidFields ({ username, email, name }: Pick<NewUser, 'username' | 'email' | 'name'>) {
      const { properties } = RegisterSchema.body
      if (!Value.Check(properties.username, username)) {
        throw new HttpError(400, `Invalid username: it must have ${properties.username.description}.`)
      }
      if (!Value.Check(properties.email, email)) throw new HttpError(400, 'Invalid email address.')
      if (name !== undefined && !Value.Check(properties.name, name)) {
        throw new HttpError(400, 'Invalid name: it is too long or contains control characters.')
      }
    },

    /** Sends a verification mail, unless the operator vouches for the address (`verified`). */
    async add (user: NewUser, { verified }: { verified: boolean }): Promise<string> {
      const mustVerify = !verified && config.EMAIL_VERIFICATION === 'required'
      return database.transact(async client => {
        const created = await users.create(client, user, { mustVerify })
        if ('taken' in created) throw new Conflict(`This ${created.taken} is taken.`)
        if (verified) await users.verifyEmail(client, created.id)
        if (mustVerify) await mail.queue(client, { kind: 'verify', email: user.email })
        await events.recordByOperator('registered', created.id, client)
        return created.id
      })
    },

    /** Returns false if the account was disabled already. */
    async disable (user: User): Promise<boolean> {
      return database.transact(async client => {
        const changed = await users.setDisabled(client, user.id, true)
        await oneTimeTokens.deleteUnused(client, user.id)
        await sessionsStore.revokeAll(client, user.id, 'disabled')
        if (changed) await events.recordByOperator('account_disabled', user.id, client)
        return changed
      })
    },

    /** Returns false if the account was not disabled. */
    async enable (user: User): Promise<boolean> {
      return database.transact(async client => {
        const changed = await users.setDisabled(client, user.id, false)
        if (changed) await events.recordByOperator('account_enabled', user.id, client)
        return changed
      })
    },

    /** Ends every session and notifies the owner by mail. */
    async setPassword (user: User, passwordHash: string) {
      await database.transact(async client => {
        if (!await users.replaceHash(client, user.id, user.passwordHash, passwordHash)) {
          throw new Conflict('The password was changed by another request meanwhile. Please try again.')
        }
        await oneTimeTokens.deleteUnused(client, user.id)
        await sessionsStore.revokeAll(client, user.id, 'password_changed')
        await events.recordByOperator('password_set', user.id, client)
        await mail.queue(client, { kind: 'password-changed', email: user.email })
      })
    },

    /** Removes every second factor and passkey, and notifies the owner by mail. Returns false if there was none. */
    async resetFactors ({ id, email }: User): Promise<boolean> {
      return database.transact(async client => {
        await factors.beginChange(client, id)
        if (!await factors.removeAll(client, id)) return false
        if (!await factors.hasWayIn(client, id)) {
          throw new Conflict('Without its passkeys, nothing could sign in to this account.')
        }
        await events.recordByOperator('factors_reset', id, client)
        await mail.queue(client, { kind: 'factors-changed', email, change: 'factors_reset' })
        return true
      })
    },

    async endSessions (user: User) {
      await database.transact(async client => {
        await sessionsStore.revokeAll(client, user.id, 'ended_by_operator')
        await events.recordByOperator('all_sessions_ended', user.id, client)
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('administration', createAdministration(app))
}, {
  name: 'administration',
  dependencies: ['database', 'events', 'factors', 'mail', 'one-time-tokens', 'sessions-store', 'users'],
})
