import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HAS_PASSWORD, noPassword } from '../../../src/passwords/no-password.ts'
import type { Language } from '../../../src/site/language.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { users: ReturnType<typeof createUsers> }
}

export interface User {
  id: string
  email: string
  username: string
  name: string | null
  provider: 'provider_a' | 'provider_b' | null
  passwordHash: string | null
  emailVerifiedAt: Date | null
  disabledAt: Date | null
  firstSignedInAt: Date | null
  /** How often the factors have changed. 0: the account never had one. */
  factorsVersion: number
  /** The language of mails. */
  language: Language | null
  /** The id of the user in another system. Unique if it is set. */
  externalId: string | null
  /** A name of the IANA time zone database. */
  timeZone: string | null
}

export type NewUser =
  Pick<User, 'email' | 'username'> & { name?: string, passwordHash: string, language?: Language, externalId?: string }

export const USER_COLUMNS = `id, email, username, name, provider, password_hash AS "passwordHash",
  email_verified_at AS "emailVerifiedAt", disabled_at AS "disabledAt", first_signed_in_at AS "firstSignedInAt",
  factors_version AS "factorsVersion", language, external_id AS "externalId",
  time_zone AS "timeZone"`

const FIND_BY_ID = `SELECT ${USER_COLUMNS} FROM users WHERE id = $1`
const FIND_BY_EMAIL = `SELECT ${USER_COLUMNS} FROM users WHERE lower(email) = lower($1)`
const FIND_BY_USERNAME = `SELECT ${USER_COLUMNS} FROM users
  WHERE lower(username) = lower($1) AND password_hash IS NOT NULL`
const FIND_BY_EXTERNAL_ID = `SELECT ${USER_COLUMNS} FROM users WHERE external_id = $1`

function createUsers (app: FastifyInstance) {
  const { config, database } = app

  async function findOne (name: string, text: string, value: string): Promise<User | undefined> {
    const { rows } = await database.query<User>({ name, text, values: [value] })
    return rows[0]
  }

  /**
   * Only if the stored hash is still `from`. Atomic: only one of two concurrent changes succeeds.
   * `renewed`: it is another hash of the same password.
   */
  async function replaceHash (client: Queryable, id: string, from: string | null, to: string, renewed = false) {
    const { rowCount } = await client.query(`
      UPDATE users SET password_hash = $3, updated_at = now(),
        stolen_password_told_at = CASE WHEN $4 THEN stolen_password_told_at END
      WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $2`, [id, from, to, renewed])
    return rowCount === 1
  }

  const findById = (id: string) => findOne('user-by-id', FIND_BY_ID, id)
  const findByEmail = (email: string) => findOne('user-by-email', FIND_BY_EMAIL, email)

  return {
    findByEmail,
    findById,
    findByExternalId: (externalId: string) => findOne('user-by-external-id', FIND_BY_EXTERNAL_ID, externalId),

    /** By username or email. Usernames have no at-sign. */
    findByLogin: (login: string) => login.includes('@')
      ? findByEmail(login)
      : findOne('user-by-username', FIND_BY_USERNAME, login),

    /**
     * Returns the new id, or which of its fields is taken.
     * The purge deletes accounts that `mustVerify` and do not.
     */
    async create (
      client: Queryable,
      { email, username, name, passwordHash, language, externalId }: NewUser,
      { mustVerify }: { mustVerify: boolean }
    ): Promise<{ id: string } | { taken: 'email' | 'username' | 'external id' }> {
      const { rows } = await client.query<{ id: string }>(`
        INSERT INTO users (email, username, name, password_hash, language, external_id, verification_sent_at)
        VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 THEN now() END)
        ON CONFLICT DO NOTHING RETURNING id`,
      [email, username, name, passwordHash, language, externalId, mustVerify])
      if (rows[0]) return rows[0]
      const { rows: [found] } = await client.query<{ username: boolean, external: boolean }>(`
        SELECT EXISTS (SELECT FROM users WHERE lower(username) = lower($1) AND password_hash IS NOT NULL) AS username,
          EXISTS (SELECT FROM users WHERE external_id = $2) AS external`, [username, externalId])
      return { taken: found?.username ? 'username' : found?.external ? 'external id' : 'email' }
    },

    /** The fields that the API returns. */
    toPublic: ({ id, username, email, name }: User) => ({ id, username, email, name }),

    canSignIn: ({ disabledAt, emailVerifiedAt }: User): boolean =>
      !disabledAt && (config.EMAIL_VERIFICATION === 'off' || Boolean(emailVerifiedAt)),

    /** Only for an enabled account that has a password. */
    async setHash (client: Queryable, id: string, passwordHash: string): Promise<User | undefined> {
      const { rows } = await client.query<User>(`
        UPDATE users SET password_hash = $2, updated_at = now(), stolen_password_told_at = NULL
        WHERE id = $1 AND disabled_at IS NULL AND password_hash IS NOT NULL
        RETURNING ${USER_COLUMNS}`, [id, passwordHash])
      return rows[0]
    },

    replaceHash,

    /** From now on no password is right. Returns false if there was none. */
    async expirePassword (client: Queryable, id: string): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE users SET password_hash = $2, updated_at = now(), stolen_password_told_at = NULL
        WHERE id = $1 AND ${HAS_PASSWORD}`, [id, noPassword()])
      return rowCount === 1
    },

    /**
     * For an account without a password: what is bound to it, such as a known browser, ends. Returns the new value,
     * or undefined for an account with a password.
     */
    async renewNoPassword (client: Queryable, id: string): Promise<string | undefined> {
      const value = noPassword()
      const { rowCount } = await client.query(`
        UPDATE users SET password_hash = $2, updated_at = now()
        WHERE id = $1 AND password_hash IS NOT NULL AND NOT ${HAS_PASSWORD}`, [id, value])
      return rowCount === 1 ? value : undefined
    },

    /** Returns false if the owner was told before, or the password has changed. */
    async noteBreachTold (client: Queryable, id: string, passwordHash: string | null): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE users SET stolen_password_told_at = now()
        WHERE id = $1 AND password_hash = $2 AND stolen_password_told_at IS NULL`, [id, passwordHash])
      return rowCount === 1
    },

    /** Returns false if the account was in that state already. */
    async setDisabled (client: Queryable, id: string, disabled: boolean): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE users SET disabled_at = CASE WHEN $2 THEN now() END, updated_at = now()
        WHERE id = $1 AND (disabled_at IS NOT NULL) <> $2`, [id, disabled])
      return rowCount === 1
    },

    setLanguage: (client: Queryable, id: string, language: Language) =>
      client.query('UPDATE users SET language = $2, updated_at = now() WHERE id = $1', [id, language]),

    /** Returns false if the account was gone already. */
    async remove (client: Queryable, id: string): Promise<boolean> {
      const { rowCount } = await client.query('DELETE FROM users WHERE id = $1', [id])
      return rowCount === 1
    },
  }
}

export default fp(async function (app) {
  app.decorate('users', createUsers(app))
}, { name: 'users', dependencies: ['database'] })
