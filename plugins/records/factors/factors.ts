import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Forbidden } from '../../../src/errors.ts'
import { isProtected } from '../../../src/factors/methods.ts'
import { HAS_PASSWORD } from '../../../src/passwords/no-password.ts'
import type { Proof } from '../../../src/sessions/session.ts'
import type { Queryable } from '../../infrastructure/database.ts'
import { END_COMMAND_LINE } from '../operators/command-line-sign-ins.ts'

declare module 'fastify' {
  interface FastifyInstance { factors: ReturnType<typeof createFactors> }
}

export interface Factors {
  /** How many. */
  passkeys: number
  /** Whether an authenticator app is set up and confirmed. */
  totp: boolean
  recoveryCodesLeft: number
}

interface Account { id: string, factorsVersion: number }

/** What the account can be signed in to with. */
export interface Ways extends Factors {
  hasPassword: boolean
  /** Their keys. */
  providers: string[]
}

/** What the account can prove its identity with, and what this session has proved. */
export interface SessionProof extends Ways, Proof {}

const COUNTS = `
  (SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id) AS passkeys,
  EXISTS (SELECT FROM totp o WHERE o.user_id = u.id AND o.confirmed_at IS NOT NULL) AS totp,
  (SELECT count(*)::int FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) AS "recoveryCodesLeft"`

const WAYS = `${HAS_PASSWORD} AS "hasPassword",
  array_remove(ARRAY[
    CASE WHEN u.provider_a_id IS NOT NULL THEN 'provider_a' END,
    CASE WHEN u.provider_b_id IS NOT NULL THEN 'provider_b' END], NULL) ||
    ARRAY(SELECT i.provider FROM identities i WHERE i.user_id = u.id ORDER BY i.created_at) AS providers`

const OF_SESSION = `
  SELECT floor(extract(epoch FROM coalesce(t.auth_time, t.signed_in_at)))::float8 AS "authTime", t.amr,
    ${WAYS}, ${COUNTS}
  FROM refresh_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.id = $2 AND t.user_id = $1 AND t.revoked_at IS NULL AND t.expires_at > now() AND u.disabled_at IS NULL`

const NONE: Factors = { passkeys: 0, totp: false, recoveryCodesLeft: 0 }

function createFactors ({ config, database }: FastifyInstance) {
  async function of (userId: string, client: Queryable = database): Promise<Factors> {
    const { rows } = await client.query<Factors>(`SELECT ${COUNTS} FROM users u WHERE u.id = $1`, [userId])
    return rows[0] ?? NONE
  }

  /** The same as `of`, without a query for an account that never had a factor. */
  async function ofUser ({ id, factorsVersion }: Account): Promise<Factors> {
    return factorsVersion === 0 ? NONE : of(id)
  }

  return {
    of,

    ofUser,

    /** Everything that the account can be signed in to with. */
    async waysOf (userId: string): Promise<Ways | undefined> {
      const { rows } = await database.query<Ways>(`SELECT ${WAYS}, ${COUNTS} FROM users u WHERE u.id = $1`, [userId])
      return rows[0]
    },

    /** For `onRequest`: 403 if no factors can be added. */
    async requireAllowed () {
      if (config.SECOND_FACTOR === 'off') throw new Forbidden('Second factors are turned off.')
    },

    /** Whether a session of this user can do nothing but add a second factor. */
    mustEnrol: async (userId: string, client?: Queryable): Promise<boolean> =>
      config.SECOND_FACTOR === 'required' && !isProtected(await of(userId, client)),

    /** Undefined if the session has ended. */
    async ofSession (userId: string, sid: string): Promise<SessionProof | undefined> {
      const { rows } = await database.query<SessionProof>(OF_SESSION, [userId, sid])
      return rows[0]
    },

    /**
     * Makes other changes of the factors, and sign-ins, wait for this transaction. What was checked before is void: the
     * sign-in of an operator ends, too. Returns the address of the owner, or undefined if there is no such account.
     */
    async beginChange (client: Queryable, userId: string): Promise<string | undefined> {
      const { rows } = await client.query<{ email: string }>(
        'UPDATE users SET factors_version = factors_version + 1 WHERE id = $1 RETURNING email', [userId])
      await client.query(END_COMMAND_LINE, [userId])
      return rows[0]?.email
    },

    /** Returns whether there were any. */
    async removeAll (client: Queryable, userId: string): Promise<boolean> {
      const had = isProtected(await of(userId, client))
      await client.query('DELETE FROM totp WHERE user_id = $1', [userId])
      await client.query('DELETE FROM passkeys WHERE user_id = $1', [userId])
      await client.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId])
      return had
    },

    /**
     * Whether the account can be signed in to: with a password, which may have to be reset first, with a passkey or
     * through a provider.
     * `usable`: the keys of the providers that count. Without it all do.
     */
    async hasWayIn (client: Queryable, userId: string, usable?: string[]): Promise<boolean> {
      const { rowCount } = await client.query(`
        SELECT FROM (SELECT password_hash, ${WAYS}, ${COUNTS} FROM users u WHERE id = $1) ways
        WHERE password_hash IS NOT NULL OR passkeys > 0 OR providers && coalesce($2::text[], providers)`,
      [userId, usable])
      return Boolean(rowCount)
    },
  }
}

export default fp(async function (app) {
  app.decorate('factors', createFactors(app))
}, { name: 'factors', dependencies: ['database'] })
