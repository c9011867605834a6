import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { placeholderEmail } from '../../src/accounts/placeholders.ts'
import { Conflict, InvalidLink, UnknownTimeZone } from '../../src/errors.ts'
import { timeZoneOf } from '../../src/site/time-zone.ts'
import type { StoreData } from '../hooks/hooks.ts'
import type { ProfileChange } from '../records/accounts/profiles.ts'
import type { NewUser, User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { accounts: ReturnType<typeof createAccounts> }
}

type OwnProfile = Pick<ProfileChange, 'name' | 'language' | 'timeZone'>

/** Registrations, and changes that owners make. Each is one transaction, together with its event and its mail. */
function createAccounts (app: FastifyInstance) {
  const { addressProof, database, emailAddresses, events, mail, mailCodes, oneTimeTokens, profiles, users } = app

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
        const placeholder = { ...user, email: placeholderEmail() }
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
        const removed = await users.remove(client, user.id)
        if (removed) await events.record('account_deleted', request, user.id, client)
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('accounts', createAccounts(app))
}, {
  name: 'accounts',
  dependencies: [
    'address-proof', 'database', 'email-addresses', 'events', 'mail', 'mail-codes', 'one-time-tokens', 'profiles',
    'users',
  ],
})
