import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Conflict, InvalidLink, UnknownTimeZone, WrongPassword } from '../../src/errors.ts'
import type { Claimant } from '../../src/passwords/account-shares.ts'
import { timeZoneOf } from '../../src/site/time-zone.ts'
import type { StoreData } from '../hooks/hooks.ts'
import type { ProfileChange } from '../records/accounts/profiles.ts'
import type { NewUser, User } from '../records/accounts/users.ts'
import type { Successor } from '../sessions/replace-session.ts'

declare module 'fastify' {
  interface FastifyInstance { accounts: ReturnType<typeof createAccounts> }
}

type OwnProfile = Pick<ProfileChange, 'name' | 'language' | 'timeZone'>

/** The code of PostgreSQL. */
const UNIQUE_VIOLATION = '23505'
const NOT_ADDED = 'Another account has this username, or this one got a password meanwhile.'

/** Changes to an account. Each is one transaction, together with its event and its mail. */
function createAccounts (app: FastifyInstance) {
  const { addressProof, database, emailAddresses, events, mail, mailCodes, oneTimeTokens, passwords } = app
  const { profiles, replaceSession, sessionsStore, users } = app

  return {
    /**
     * Does not reveal whether the address is known. For a known address, a placeholder account takes the username
     * and an id: otherwise a second try, or a gap in the ids, would reveal it. A placeholder cannot sign in,
     * and the purge deletes it. Returns the id.
     * `askedBy`: what the code in the mail is bound to. `next`: the path to open after the sign-in, which must have
     * been checked. `storeData`: of a placeholder, too, so that it takes as long.
     */
    async register (
      user: NewUser,
      request: FastifyRequest,
      askedBy: Buffer,
      { next, storeData }: { next?: string, storeData?: StoreData } = {}
    ): Promise<string> {
      return database.transact(async client => {
        const known = await emailAddresses.isKnown(client, user.email)
        const placeholder = { ...user, email: `${randomUUID()}@stand-in.invalid` }
        let added = known ? placeholder : user
        let created = await users.create(client, added, { mustVerify: true })
        // A concurrent registration took the address.
        if ('taken' in created && created.taken === 'email') {
          added = placeholder
          created = await users.create(client, added, { mustVerify: true })
        }
        if ('taken' in created) throw new Conflict('This username is taken.')
        await events.record('registered', request, created.id, client)
        await storeData?.(client, created.id)
        await mailCodes.begin(client, { purpose: 'verify', email: added.email, askedBy, userId: created.id })
        await mail.queue(client, { kind: known ? 'already-registered' : 'verify', email: user.email, next })
        return created.id
      })
    },

    /** The account can sign in at once. With no mail involved, a taken address is reported as a conflict. */
    async registerWithoutVerification (
      user: NewUser,
      request: FastifyRequest,
      storeData?: StoreData
    ): Promise<string> {
      return database.transact(async client => {
        const created = await users.create(client, user, { mustVerify: false })
        if ('taken' in created) throw new Conflict(`This ${created.taken} is taken.`)
        await events.record('registered', request, created.id, client)
        await storeData?.(client, created.id)
        return created.id
      })
    },

    /** Returns the id of the account. */
    async verifyEmail (token: string, request: FastifyRequest): Promise<string> {
      const signedInUser = await addressProof.signedInUser(request)
      return database.transact(async client => {
        const userId = await oneTimeTokens.consume(client, token, 'verify')
        if (!userId) throw new InvalidLink()
        await addressProof.accept(client, request, userId, { isSignedIn: userId === signedInUser })
        return userId
      })
    },

    /** The same with the code of the mail, in the browser that registered. Undefined if it is wrong. */
    async verifyEmailWithCode (code: string, askedBy: Buffer, request: FastifyRequest): Promise<string | undefined> {
      const tried = await mailCodes.try(askedBy, 'verify', code)
      if (!tried?.isRight || !tried.userId) return undefined
      const { userId } = tried
      // This browser has sent the password, as that of a signed-in user has.
      await database.transact(client => addressProof.accept(client, request, userId, { isSignedIn: true }))
      return userId
    },

    /** The account is looked up when the mail is composed, so the response time does not reveal whether it exists. */
    async mailLink (kind: 'verify' | 'reset', email: string, request: FastifyRequest, next?: string) {
      await database.transact(async client => {
        await mail.queue(client, { kind, email, next })
        if (kind === 'reset') await events.record('password_reset_requested', request, undefined, client)
      })
    },

    /** Also proves the address, since the link came by mail, and ends every session. */
    async resetPassword (token: string, passwordHash: string, request: FastifyRequest) {
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
    async changePassword (user: User, passwordHash: string, request: FastifyRequest): Promise<Successor> {
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
    async addPassword (user: User, passwordHash: string, request: FastifyRequest): Promise<Successor> {
      return database.transact(async client => {
        // Usernames are unique among accounts with a password.
        const added = await users.replaceHash(client, user.id, user.passwordHash, passwordHash).catch(error => {
          if (error.code === UNIQUE_VIOLATION) return false
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
    async renewHash (user: User, password: string, claimant: Claimant): Promise<string | null> {
      if (!user.passwordHash || !passwords.needsRenewal(user.passwordHash)) return user.passwordHash
      const renewed = await passwords.hash(password, claimant)
      if (await users.replaceHash(database, user.id, user.passwordHash, renewed, true)) return renewed
      // A concurrent login has renewed it, or the password was changed.
      const current = await users.findById(user.id)
      const matches = current && await passwords.verify(password, current.passwordHash, claimant)
      return matches ? current.passwordHash : user.passwordHash
    },

    /** The event has the names of the fields. Returns undefined if the account does not exist any more. */
    async changeProfile (wanted: OwnProfile, request: FastifyRequest): Promise<User | undefined> {
      const { userId } = request.user
      const timeZone = wanted.timeZone ? timeZoneOf(wanted.timeZone) : wanted.timeZone
      if (wanted.timeZone && !timeZone) throw new UnknownTimeZone()
      return database.transact(async client => {
        const { user, changed } = await profiles.change(client, userId, { ...wanted, timeZone }) ?? { changed: [] }
        if (changed.length > 0) await events.record('profile_changed', request, userId, client, changed.join())
        return user
      })
    },

    /** Deletes the account and all its data. Only an event with its id remains. */
    async remove (user: User, request: FastifyRequest) {
      await database.transact(async client => {
        await users.remove(client, user.id)
        await events.record('account_deleted', request, user.id, client)
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('accounts', createAccounts(app))
}, {
  name: 'accounts',
  dependencies: [
    'address-proof', 'database', 'email-addresses', 'events', 'mail', 'mail-codes', 'one-time-tokens', 'passwords',
    'profiles', 'replace-session', 'sessions-store', 'users',
  ],
})
