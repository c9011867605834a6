import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { hostsOf } from '../../../src/openid/application-host.ts'
import { digest } from '../../../src/secrets/digest.ts'
import type { ClientInfo } from '../../../src/edge/client-address.ts'
import type { EndReason, Method } from '../../../src/sessions/session.ts'
import type { Queryable } from '../../infrastructure/database.ts'
import { END_COMMAND_LINE } from '../operators/command-line-sign-ins.ts'

declare module 'fastify' {
  interface FastifyInstance { sessionsStore: ReturnType<typeof createSessionsStore> }
}

/**
 * A session and its current refresh token. Times are whole seconds, as in the claims,
 * so that signing the same claims again gives the same token.
 */
export interface SessionRecord {
  id: string
  userId: string
  /** How many tokens came before. */
  generation: number
  issuedAt: number
  expiresAt: number
  signedInAt: number
}

/** What was checked before a sign-in. The session is opened only if it has not changed meanwhile. */
interface CheckedAccount { passwordHash: string | null, factorsVersion: number }

interface NewSession {
  refreshToken: string
  client: ClientInfo
  account: CheckedAccount
  amr: Method[]
  /** A session that will end, too: it does not count for the limit. */
  previousId?: string
  /** Whether the owner is told of it: see `signInAlarms`. */
  isAlarming?: boolean
}

interface LiveSession {
  id: string
  ip: string | null
  userAgent: string | null
  /** The one with offline access that it belongs to, instead of a browser. By its hosts, if it registered itself. */
  application: { id: string, name: string } | null
  /** Whether it is bound to a key of its device. */
  bound: boolean
  firstUsedAt: Date
  lastUsedAt: Date
}

interface ListedSession extends LiveSession { registered: Parameters<typeof hostsOf>[0] | null }

/** Live sessions of an account. */
export const MAX_SESSIONS = 100
/** One sign-in ends at most this many of those beyond the limit, to stay fast. */
const MAX_ENDED_AT_ONCE = 1_000

// The row lock waits for a concurrent change of the password or the factors, after which they no longer match.
// The event, the alarm and the limit of sessions are part of the statement to save round trips. The new session stays,
// even if the clock of this instance is behind.
const ADD = `
  WITH owner AS (
    SELECT id FROM users
    WHERE id = $2 AND disabled_at IS NULL AND password_hash IS NOT DISTINCT FROM $9 AND factors_version = $10
    FOR NO KEY UPDATE
  ), first AS (
    UPDATE users SET first_signed_in_at = now() FROM owner WHERE users.id = owner.id AND first_signed_in_at IS NULL
  ), event AS (
    INSERT INTO auth_events (what, user_id, session_id, ip, user_agent) SELECT 'sign_in', id, $1, $7, $8 FROM owner
  ), alarm AS (
    INSERT INTO sign_in_alarms (user_id, ip, user_agent) SELECT id, $7, $8 FROM owner WHERE $13
  ), added AS (
    INSERT INTO refresh_tokens (id, user_id, token, issued_at, expires_at, signed_in_at, ip, user_agent, amr)
    SELECT $1, id, $3, to_timestamp($4), to_timestamp($5), to_timestamp($6), $7, $8, $11 FROM owner
    RETURNING id, user_id
  )
  SELECT end_excess_sessions(
    user_id, array_remove(ARRAY[id, $12], NULL), ${MAX_SESSIONS - 1}, ${MAX_ENDED_AT_ONCE}) FROM added`

const IS_LIVE = 'revoked_at IS NULL AND expires_at > now()'

/** A browser registers its key right after the sign-in. Later, the cookies may have been copied. */
const TIME_TO_BIND = '5 minutes'

// Again with the same key: the browser repeats the request if the response is lost.
const BIND = `
  UPDATE refresh_tokens SET device_key = $2
  WHERE id = $1 AND (device_key IS NULL OR device_key = $2) AND generation = 0
    AND signed_in_at > now() - interval '${TIME_TO_BIND}' AND ${IS_LIVE}`

const LIST_LIVE = `
  SELECT t.id, host(ip) AS ip, user_agent AS "userAgent", signed_in_at AS "firstUsedAt", issued_at AS "lastUsedAt",
    device_key IS NOT NULL AS bound,
    CASE WHEN a.id IS NOT NULL THEN json_build_object('id', a.id, 'name', a.name) END AS application,
    CASE WHEN a.registration IS NOT NULL THEN
      json_build_object('documentUrl', a.document_url, 'redirectUris', a.redirect_uris) END AS registered
  FROM refresh_tokens t LEFT JOIN applications a ON a.id = t.application_id
  WHERE user_id = $1 AND ${IS_LIVE}
  ORDER BY issued_at DESC LIMIT ${MAX_SESSIONS}`

/**
 * Before sessions of an account end or change, as a sign-in does: otherwise both could wait for sessions that the other
 * has locked. A statement of its own: the next one sees the sessions of those that this one has waited for.
 */
export async function lockOwner (client: Queryable, userId: string) {
  await client.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId])
}

function createSessionsStore ({ database }: FastifyInstance) {
  return {
    /**
     * Adds a session, records the sign-in and ends the sessions beyond the limit. Returns false if the account was
     * disabled, or its password or factors changed, since they were checked.
     */
    async add (
      queryable: Queryable,
      { id, userId, issuedAt, expiresAt, signedInAt }: SessionRecord,
      { refreshToken, client: { ip, userAgent }, account, amr, previousId, isAlarming = false }: NewSession
    ): Promise<boolean> {
      const { rowCount } = await queryable.query({
        name: 'sign-in',
        text: ADD,
        values: [
          id, userId, digest(refreshToken), issuedAt, expiresAt, signedInAt, ip, userAgent,
          account.passwordHash, account.factorsVersion, amr, previousId, isAlarming,
        ],
      })
      return rowCount === 1
    },

    async isLive (userId: string, id: string, client: Queryable = database): Promise<boolean> {
      const { rowCount } = await client.query(
        `SELECT FROM refresh_tokens WHERE id = $2 AND user_id = $1 AND ${IS_LIVE}`, [userId, id])
      return Boolean(rowCount)
    },

    async live (userId: string): Promise<LiveSession[]> {
      const { rows } = await database.query<ListedSession>(LIST_LIVE, [userId])
      return rows.map(({ registered, ...session }) => registered && session.application
        ? { ...session, application: { id: session.application.id, name: hostsOf(registered) } }
        : session)
    },

    /** Binds a session that was just opened to a key. Returns false if it has another one, or if it is too late. */
    async bind (id: string, deviceKey: string): Promise<boolean> {
      const { rowCount } = await database.query(BIND, [id, deviceKey])
      return rowCount === 1
    },

    /** Returns false if the session has been revoked before. */
    async revoke (client: Queryable, userId: string, id: string, reason: EndReason): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE refresh_tokens SET revoked_at = now(), revoked_for = $3
        WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL`, [id, userId, reason])
      return Boolean(rowCount)
    },

    /** Also ends the sessions of an operator, on the listener for operators and in the command line. */
    async revokeAll (client: Queryable, userId: string, reason: EndReason, exceptId: string | null = null) {
      await lockOwner(client, userId)
      await client.query(`
        WITH of_operator AS (
          DELETE FROM operator_sessions WHERE user_id = $1
        ), of_command_line AS (
          ${END_COMMAND_LINE}
        )
        UPDATE refresh_tokens SET revoked_at = now(), revoked_for = $2
        WHERE user_id = $1 AND id IS DISTINCT FROM $3 AND revoked_at IS NULL`, [userId, reason, exceptId])
    },
  }
}

export default fp(async function (app) {
  app.decorate('sessionsStore', createSessionsStore(app))
}, { name: 'sessions-store', dependencies: ['database'] })
