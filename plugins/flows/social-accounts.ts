import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ProviderSignInFailed } from '../../src/providers/errors.ts'
import type { Profile, Provider } from '../../src/providers/providers.ts'
import type { Queryable } from '../infrastructure/database.ts'
import { USER_COLUMNS, type User } from '../records/users.ts'

declare module 'fastify' {
  interface FastifyInstance { socialAccounts: ReturnType<typeof createSocialAccounts> }
}

type CompleteProfile = Profile & { email: string, username: string }

const isComplete = (profile: Profile): profile is CompleteProfile => Boolean(profile.email && profile.username)

/** Of two concurrent callbacks for a new user, the second finds the account of the first on its next attempt. */
const MAX_ATTEMPTS = 3

function createSocialAccounts (app: FastifyInstance) {
  const { database, events, users } = app

  async function queryOne (client: Queryable, text: string, values: unknown[]): Promise<User | undefined> {
    const { rows } = await client.query<User>(text, values)
    return rows[0]
  }

  /** For an address that both sides verified. Undefined if the account is linked to another id of this provider. */
  async function link (client: Queryable, { id }: User, { key }: Provider, profile: CompleteProfile) {
    return queryOne(client, `
      UPDATE users SET ${key}_id = $2, updated_at = now()
      WHERE id = $1 AND coalesce(${key}_id, $2) = $2
      RETURNING ${USER_COLUMNS}`, [id, profile.id])
  }

  return {
    /** Whether this user of the provider is linked to the account. */
    async isLinked ({ key }: Provider, { id }: Profile, userId: string): Promise<boolean> {
      const { rowCount } = await database.query(`SELECT FROM users WHERE id = $1 AND ${key}_id = $2`, [userId, id])
      return Boolean(rowCount)
    },

    /** Throws ProviderSignInFailed if the profile has no verified email or its account cannot be used. */
    async findOrCreate (provider: Provider, profile: Profile, request: FastifyRequest): Promise<User> {
      const { key } = provider
      if (!isComplete(profile)) {
        throw new ProviderSignInFailed('no verified email', { description: 'No email came from the provider' })
      }
      return database.transact(async client => {
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
          const known = await queryOne(client, `SELECT ${USER_COLUMNS} FROM users WHERE ${key}_id = $1`, [profile.id])
          if (known) return known

          const local = await queryOne(client, `
            SELECT ${USER_COLUMNS} FROM users WHERE lower(email) = lower($1) FOR UPDATE`, [profile.email])
          if (local?.disabledAt) throw new ProviderSignInFailed('the account is disabled')
          if (local && !local.emailVerifiedAt) {
            // Its owner never proved the address. With the row goes everything that its access tokens name.
            await users.remove(client, local.id)
            await events.record('account_deleted', request, undefined, client)
          } else if (local) {
            const linked = await link(client, local, provider, profile)
            if (!linked) throw new ProviderSignInFailed('the account is linked to another user of this provider')
            await events.record('provider_linked', request, linked.id, client)
            return linked
          }

          const created = await queryOne(client, `
            INSERT INTO users (email, email_verified_at, username, name, provider, ${key}_id)
            VALUES ($1, now(), $2, $3, $4, $5)
            ON CONFLICT DO NOTHING
            RETURNING ${USER_COLUMNS}`, [profile.email, profile.username, profile.name, key, profile.id])
          if (created) {
            await events.record('registered', request, created.id, client)
            return created
          }
        }
        throw new Error(`found no account and could create none in ${MAX_ATTEMPTS} attempts`)
      })
    },
  }
}

export default fp(async function (app) {
  app.decorate('socialAccounts', createSocialAccounts(app))
}, { name: 'social-accounts', dependencies: ['database', 'events', 'users'] })
