import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isUniqueViolation } from '../../../src/database/unique-violation.ts'
import { IdentityTaken } from '../../../src/providers/errors.ts'
import type { Profile } from '../../../src/providers/profile.ts'
import type { Provider } from '../../../src/providers/providers.ts'
import type { Queryable } from '../../infrastructure/database.ts'
import { USER_COLUMNS, type User } from '../accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { identities: ReturnType<typeof createIdentities> }
}

/** A user of a provider who is linked to an account. Of providers A and B only the id is stored. */
export interface Identity {
  provider: string
  email: string | null
  connectedAt: Date | null
  lastUsedAt: Date | null
}

type Origin = Pick<Provider, 'key' | 'issuer'>
type Subject = Pick<Profile, 'id' | 'email'>
export type CompleteProfile = Profile & { email: string, username: string }

/** A map: a key of an object could also be `constructor`. */
const COLUMNS = new Map([['provider_a', 'provider_a_id'], ['provider_b', 'provider_b_id']])

const LIST = `
  SELECT fixed.provider, NULL AS email, NULL AS "connectedAt", NULL AS "lastUsedAt"
  FROM users, LATERAL (VALUES ('provider_a', provider_a_id), ('provider_b', provider_b_id)) AS fixed (provider, subject)
  WHERE id = $1 AND fixed.subject IS NOT NULL
  UNION ALL
  (SELECT provider, email, created_at, last_used_at FROM identities WHERE user_id = $1 ORDER BY created_at)`

/** `IS NOT NULL`: the indexes are read, which have only the accounts of a provider, and not all accounts. */
const COUNT = [
  ...[...COLUMNS].map(([key, column]) =>
    `SELECT '${key}' AS provider, count(*)::int AS accounts FROM users WHERE ${column} IS NOT NULL`),
  'SELECT provider, count(*)::int FROM identities GROUP BY provider',
].join(' UNION ALL ')

const USE = `
  WITH used AS (
    UPDATE identities SET last_used_at = now(), email = coalesce($4, email)
    WHERE provider = $1 AND subject = $2 AND issuer = $3 RETURNING user_id)
  SELECT ${USER_COLUMNS} FROM users WHERE id = (SELECT user_id FROM used)`

/** The account must be locked: it can have one identity at each provider. */
const ADD = `
  INSERT INTO identities (provider, subject, issuer, email, user_id)
  SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (
    SELECT FROM identities WHERE user_id = $5 AND provider = $1 AND subject <> $2)
  ON CONFLICT (provider, subject) DO UPDATE SET last_used_at = now()
    WHERE identities.user_id = $5 AND identities.issuer = $3`

function createIdentities ({ database }: FastifyInstance) {
  async function queryOne (client: Queryable, text: string, values: unknown[]): Promise<User | undefined> {
    const { rows } = await client.query<User>(text, values)
    return rows[0]
  }

  const valuesOf = ({ key, issuer = '' }: Origin, { id, email }: Subject) => [key, id, issuer, email]

  async function setColumn (client: Queryable, column: string, userId: string, subject: string): Promise<boolean> {
    try {
      const { rowCount } = await client.query(`
        UPDATE users SET ${column} = $2, updated_at = now()
        WHERE id = $1 AND coalesce(${column}, $2) = $2`, [userId, subject])
      return rowCount === 1
    } catch (error) {
      throw isUniqueViolation(error) ? new IdentityTaken() : error
    }
  }

  /**
   * Returns false if the account is linked to another user of this provider. Throws IdentityTaken, which must end
   * the transaction, if this user of the provider belongs to another account.
   */
  async function link (client: Queryable, userId: string, provider: Origin, profile: Subject): Promise<boolean> {
    const column = COLUMNS.get(provider.key)
    if (column) return setColumn(client, column, userId, profile.id)
    const { rowCount } = await client.query(ADD, [...valuesOf(provider, profile), userId])
    if (rowCount === 1) return true
    const { rowCount: hasAnother } = await client.query(
      'SELECT FROM identities WHERE user_id = $1 AND provider = $2', [userId, provider.key])
    if (!hasAnother) throw new IdentityTaken()
    return false
  }

  return {
    link,

    /** Notes a use. */
    async findUser (client: Queryable, provider: Origin, profile: Subject): Promise<User | undefined> {
      const column = COLUMNS.get(provider.key)
      return column
        ? queryOne(client, `SELECT ${USER_COLUMNS} FROM users WHERE ${column} = $1`, [profile.id])
        : queryOne(client, USE, valuesOf(provider, profile))
    },

    /** Undefined if the email, or the user of the provider, has an account. */
    async createUser (client: Queryable, provider: Provider, profile: CompleteProfile): Promise<User | undefined> {
      const { id, email, username, name } = profile
      const [a, b] = [...COLUMNS.keys()].map(key => key === provider.key ? id : null)
      const isFixed = COLUMNS.has(provider.key)
      const created = await queryOne(client, `
        INSERT INTO users (email, email_verified_at, username, name, provider, provider_a_id, provider_b_id)
        VALUES ($1, now(), $2, $3, $4, $5, $6)
        ON CONFLICT DO NOTHING
        RETURNING ${USER_COLUMNS}`, [email, username, name, isFixed ? provider.key : null, a, b])
      if (created && !isFixed) await link(client, created.id, provider, profile)
      return created
    },

    /** Returns whether there was one. */
    async unlink (client: Queryable, userId: string, key: string): Promise<boolean> {
      const column = COLUMNS.get(key)
      const { rowCount } = column
        ? await client.query(`UPDATE users SET ${column} = NULL WHERE id = $1 AND ${column} IS NOT NULL`, [userId])
        : await client.query('DELETE FROM identities WHERE user_id = $1 AND provider = $2', [userId, key])
      return rowCount === 1
    },

    /** How many accounts are linked to each provider, by its key. */
    async countAccounts (): Promise<Map<string, number>> {
      const { rows } = await database.query<{ provider: string, accounts: number }>(COUNT)
      return new Map(rows.map(({ provider, accounts }) => [provider, accounts]))
    },

    async list (userId: string, client: Queryable = database): Promise<Identity[]> {
      const { rows } = await client.query<Identity>(LIST, [userId])
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('identities', createIdentities(app))
}, { name: 'identities', dependencies: ['database'] })
