import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Conflict } from '../../src/errors.ts'
import { COMMAND_LINE, mayChangeOperators } from '../../src/operators/actors.ts'
import { AccountOfOperator } from '../../src/operators/errors.ts'
import { noPassword } from '../../src/passwords/no-password.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { NewUser, User } from '../records/accounts/users.ts'
import type { ImportedHash } from '../records/import-export/imported-hashes.ts'

declare module 'fastify' {
  interface FastifyInstance { administration: ReturnType<typeof createAdministration> }
}

/** `imported`: the kind of the hash, if another system made it and it takes longer than our own. */
interface Welcome { verified: boolean, invite?: boolean, imported?: ImportedHash }

interface FactorsReset { changed: boolean, operatorRemoved: boolean }

/**
 * Changes that operators make, on the command line or through their API. Each is one transaction, with its event.
 * `by`: who made it, as the event records it: `command line`, `key NAME`, `operator USERNAME` or `support USERNAME`.
 */
function createAdministration (app: FastifyInstance) {
  const { config, database, emailAddresses, events, factors, importedHashes, mail } = app
  const { oneTimeTokens, operators, sessionsStore, users } = app

  /** The transaction of a change to an account. Keys and operators of the support cannot change an operator. */
  async function change<T> (
    id: string,
    by: string,
    work: (client: Queryable, isOperator: boolean) => Promise<T>
  ): Promise<T> {
    return database.transact(async client => {
      const isOperator = await operators.hasLocked(client, id)
      if (isOperator && !mayChangeOperators(by)) throw new AccountOfOperator()
      return work(client, isOperator)
    })
  }

  /** Sends an invitation, or a verification mail unless the operator vouches for the address (`verified`). */
  async function add (
    user: NewUser,
    { verified, invite = false, imported }: Welcome,
    by = COMMAND_LINE
  ): Promise<string> {
    const mustVerify = !verified && !invite && config.EMAIL_VERIFICATION === 'required'
    return database.transact(async client => {
      const created = await users.create(client, user, { mustVerify })
      if ('taken' in created) throw new Conflict(`This ${created.taken} is taken.`)
      if (imported) await importedHashes.note(client, [imported])
      if (verified) await emailAddresses.verify(client, created.id)
      if (mustVerify) await mail.queue(client, { kind: 'verify', email: user.email })
      if (invite) await mail.queue(client, { kind: 'invite', email: user.email })
      await events.recordByOperator('registered', created.id, client, by)
      return created.id
    })
  }

  return {
    change,

    add,

    /** Creates an account whose owner chooses the password with a link that comes by mail. Until then it has none. */
    async invite (user: Omit<NewUser, 'passwordHash'>, by = COMMAND_LINE): Promise<string> {
      return add({ ...user, passwordHash: noPassword() }, { verified: false, invite: true }, by)
    },

    /** Returns false if the account was disabled already. */
    async disable (user: User, by = COMMAND_LINE): Promise<boolean> {
      return change(user.id, by, async client => {
        const changed = await users.setDisabled(client, user.id, true)
        await oneTimeTokens.deleteUnused(client, user.id)
        await sessionsStore.revokeAll(client, user.id, 'disabled')
        if (changed) await events.recordByOperator('account_disabled', user.id, client, by)
        return changed
      })
    },

    /** Returns false if the account was not disabled. */
    async enable (user: User, by = COMMAND_LINE): Promise<boolean> {
      return change(user.id, by, async client => {
        const changed = await users.setDisabled(client, user.id, false)
        if (changed) await events.recordByOperator('account_enabled', user.id, client, by)
        return changed
      })
    },

    /** Ends every session and notifies the owner by mail. */
    async setPassword (user: User, passwordHash: string, by = COMMAND_LINE) {
      await change(user.id, by, async client => {
        if (!await users.replaceHash(client, user.id, user.passwordHash, passwordHash)) {
          throw new Conflict('The password was changed by another request meanwhile. Please try again.')
        }
        await oneTimeTokens.deleteUnused(client, user.id)
        await sessionsStore.revokeAll(client, user.id, 'password_changed')
        await events.recordByOperator('password_set', user.id, client, by)
        await mail.queue(client, { kind: 'password-changed', email: user.email })
      })
    },

    /**
     * For a password that leaked: from now on it is wrong, and known and remembered browsers end with it. The owner is
     * told by mail, and chooses another one through a reset. Returns false if there was no password.
     */
    async expirePassword ({ id, email }: User, by = COMMAND_LINE): Promise<boolean> {
      return change(id, by, async client => {
        if (!await users.expirePassword(client, id)) return false
        await oneTimeTokens.deleteUnused(client, id)
        await sessionsStore.revokeAll(client, id, 'password_expired')
        await events.recordByOperator('password_expired', id, client, by)
        await mail.queue(client, { kind: 'breached-password', email, expired: true })
        return true
      })
    },

    /**
     * Removes every second factor and passkey, and notifies the owner by mail. `changed` is false if there was none.
     * An operator loses that right: otherwise the password alone would be enough to become one.
     */
    async resetFactors ({ id, email }: User, by = COMMAND_LINE): Promise<FactorsReset> {
      return change(id, by, async (client, isOperator) => {
        await factors.beginChange(client, id)
        if (!await factors.removeAll(client, id)) return { changed: false, operatorRemoved: false }
        if (!await factors.hasWayIn(client, id)) {
          throw new Conflict('Without its passkeys, nothing could sign in to this account.')
        }
        await events.recordByOperator('factors_reset', id, client, by)
        if (isOperator) {
          await operators.remove(id, client)
          await events.recordByOperator('operator_removed', id, client, by)
        }
        await mail.queue(client, {
          kind: 'factors-changed', email, change: 'factors_reset', operatorRemoved: isOperator,
        })
        return { changed: true, operatorRemoved: isOperator }
      })
    },

    async endSessions (user: User, by = COMMAND_LINE) {
      await change(user.id, by, async client => {
        await sessionsStore.revokeAll(client, user.id, 'ended_by_operator')
        await users.renewNoPassword(client, user.id)
        await events.recordByOperator('all_sessions_ended', user.id, client, by)
      })
    },

    /** The operator vouches for the address. Returns false if it was confirmed already. */
    async verifyEmail ({ id, emailVerifiedAt }: User, by = COMMAND_LINE): Promise<boolean> {
      return change(id, by, async client => {
        if (emailVerifiedAt) return false
        await emailAddresses.verify(client, id)
        await events.recordByOperator('email_verified', id, client, by)
        return true
      })
    },

    /** The same mail as for a reset that the owner asks for. */
    async sendResetMail ({ id, email, disabledAt }: User, by = COMMAND_LINE) {
      await change(id, by, async client => {
        if (disabledAt) throw new Conflict('This account is disabled, so that no mail would be sent. Enable it first.')
        await mail.queue(client, { kind: 'reset', email })
        await events.recordByOperator('password_reset_requested', id, client, by)
      })
    },

    /** Deletes the account and all its data. Only an event with its id remains. */
    async remove ({ id }: User, by = COMMAND_LINE) {
      await change(id, by, async client => {
        await users.remove(client, id)
        await events.recordByOperator('account_deleted', id, client, by)
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('administration', createAdministration(app))
}, {
  name: 'administration',
  dependencies: [
    'database', 'email-addresses', 'events', 'factors', 'imported-hashes', 'mail', 'one-time-tokens', 'operators',
    'sessions-store', 'users',
  ],
})
