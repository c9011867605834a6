import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ProviderSignInFailed } from '../../src/providers/errors.ts'
import type { Profile, ProvenProfile, ProviderLink } from '../../src/providers/profile.ts'
import type { Provider } from '../../src/providers/providers.ts'
import type { StoreData } from '../hooks/hooks.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { CompleteProfile } from '../records/providers/identities.ts'
import type { User } from '../records/accounts/users.ts'
import type { SessionReference } from '../sessions/sessions.ts'

declare module 'fastify' {
  interface FastifyInstance { socialAccounts: ReturnType<typeof createSocialAccounts> }
}

/** `link`: the account has the address of the user, and will be linked when the sign-in is complete. */
interface FoundAccount { user: User, link?: ProviderLink }

const isComplete = (profile: Profile): profile is CompleteProfile => Boolean(profile.email && profile.username)

/** Of two concurrent callbacks for a new user, the second finds the account of the first on its next attempt. */
const MAX_ATTEMPTS = 3

/** For clocks that differ, in seconds. */
const CLOCK_TOLERANCE = 60

/** The accounts of users who come back from a provider. */
function createSocialAccounts (app: FastifyInstance) {
  const { database, emailAddresses, events, factorChanges, freshProof, hooks, identities, sessions, users } = app

  /** Undefined if a new account is needed, unless it `mayCreate` one. `storeData`: of a new account. */
  async function find (
    client: Queryable,
    provider: Provider,
    profile: Profile,
    request: FastifyRequest,
    mayCreate: boolean,
    storeData?: StoreData
  ): Promise<FoundAccount | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const known = await identities.findUser(client, provider, profile)
      if (known && (isComplete(profile) || needsNoEmail(provider))) return { user: known }
      if (!isComplete(profile)) {
        throw new ProviderSignInFailed('no verified email', { description: 'No email came from the provider' })
      }

      const local = await emailAddresses.lockOwner(client, profile.email)
      if (local?.disabledAt) throw new ProviderSignInFailed('the account is disabled')
      if (!local?.emailVerifiedAt && !mayCreate) return undefined
      if (local && !local.emailVerifiedAt) {
        // Its owner never proved the address. With the row goes everything that its access tokens name.
        await users.remove(client, local.id)
        await events.record('account_deleted', request, local.id, client)
      } else if (local) {
        const linked = await identities.list(local.id, client)
        if (!linked.some(({ provider: key }) => key === provider.key)) return toBeLinked(local, provider, profile)
        // Another callback may have linked it meanwhile.
        const user = await identities.findUser(client, provider, profile)
        if (user) return { user }
        throw new ProviderSignInFailed('the account is linked to another user of this provider')
      }

      const created = await identities.createUser(client, provider, profile)
      if (created) {
        await events.record('registered', request, created.id, client)
        await storeData?.(client, created.id)
        return { user: created }
      }
    }
    throw new Error(`found no account and could create none in ${MAX_ATTEMPTS} attempts`)
  }

  return {
    /**
     * Throws ProviderSignInFailed if the profile has no verified email or its account cannot be used. For a new
     * account, the application is asked between two transactions.
     */
    async findOrCreate (provider: Provider, profile: Profile, request: FastifyRequest): Promise<FoundAccount> {
      const findNow = (mayCreate: boolean, storeData?: StoreData) =>
        database.transact(client => find(client, provider, profile, request, mayCreate, storeData))
      const found = await findNow(false)
      if (found) return found
      const { email, username, name } = profile as CompleteProfile
      const account = { email, emailVerified: true, username, name: name ?? null }
      const storeData =
        await hooks.beforeRegistration(request, { method: 'provider', provider: provider.key, ...account })
      return await findNow(true, storeData) as FoundAccount
    },

    /**
     * For the transaction that opens the session, which has locked the account. Throws ProviderSignInFailed
     * if the account or the user of the provider changed since they were found.
     */
    async link (client: Queryable, { id, email }: User, { provider, profile }: ProviderLink, request: FastifyRequest) {
      if (!await emailAddresses.isProven(client, id, profile.email)) {
        throw new ProviderSignInFailed('the account has another address now')
      }
      if ((await identities.findUser(client, provider, profile))?.id === id) return
      if (!await identities.link(client, id, provider, profile)) {
        throw new ProviderSignInFailed('the account is linked to another user of this provider')
      }
      await factorChanges.announce(client, request, 'provider_linked', id, email)
    },

    /** A user without a password confirms the identity of this session, which asked for it at the time `since`. */
    async confirm (
      provider: Provider,
      profile: ProvenProfile,
      { session, since }: { session: SessionReference, since: number },
      request: FastifyRequest,
      reply: FastifyReply
    ) {
      // A verified ID token must tell when the user signed in. Others may not.
      const { authTime = provider.issuer ? 0 : since } = profile
      if (authTime < since - CLOCK_TOLERANCE) {
        throw new ProviderSignInFailed('the provider did not ask the user to sign in again')
      }
      const user = await identities.findUser(database, provider, profile)
      if (user?.id !== session.userId) throw new ProviderSignInFailed('another user of the provider came back')
      const methods = freshProof.methodsFor(await freshProof.read(session))
      if (!methods.includes(provider.key)) {
        throw new ProviderSignInFailed('the account confirms its identity in another way')
      }
      await sessions.prove(request, reply, session, ['ext'])
    },
  }
}

const toBeLinked = (user: User, { key, issuer }: Provider, { id, email }: CompleteProfile): FoundAccount =>
  ({ user, link: { provider: { key, issuer }, profile: { id, email } } })

/** The specification asks providers A and B for an email each time. Others are known by their subject. */
const needsNoEmail = ({ key }: Provider) => key !== 'provider_a' && key !== 'provider_b'

export default fp(async function (app) {
  app.decorate('socialAccounts', createSocialAccounts(app))
}, {
  name: 'social-accounts',
  dependencies: [
    'database', 'email-addresses', 'events', 'factor-changes', 'fresh-proof', 'hooks', 'identities', 'sessions',
    'users',
  ],
})
