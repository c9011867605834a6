import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../../src/tokens/digest.ts'
import type { ClientInfo } from '../../src/http/client-info.ts'
import type { Queryable } from '../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { sessionsStore: ReturnType<typeof createSessionsStore> }
}

/** Times are whole seconds, as in the claims, so that signing the same claims again gives the same token. */
export interface RefreshRecord {
  id: string
  familyId: string
  userId: string
  issuedAt: number
  expiresAt: number
  signedInAt: number
}

interface Owner { id: string, username: string, email: string, name: string | null }

export interface LiveSession {
  id: string
  ip: string | null
  userAgent: string | null
  firstUsedAt: Date
  lastUsedAt: Date
}

type EndReason =
  | 'sign_out' | 'ended_by_user' | 'ended_by_operator' | 'replaced' | 'reuse'
  | 'password_changed' | 'password_reset' | 'disabled' | 'session_limit'

/** A used token is accepted for this long: two tabs may refresh at once, and a response may get lost. */
const GRACE_PERIOD = '30 seconds'

/** Live sessions of an account. */
const MAX_SESSIONS = 100
/** Accounts from before the limit may have more. One sign-in ends at most this many, to stay fast. */
const MAX_ENDED_AT_ONCE = 1_000

/** One revoked row revokes its whole family: a rotation concurrent with a revocation yields no usable token. */
const isFamilyRevoked = (row: string) =>
  `EXISTS (SELECT FROM refresh_tokens e WHERE e.family_id = ${row}.family_id AND e.revoked_at IS NOT NULL)`

// The row lock waits for a concurrent password change, after which the hash no longer matches.
// The event is part of the statement to save a round trip.
const ADD = `
  WITH owner AS (
    SELECT id FROM users
    WHERE id = $3 AND disabled_at IS NULL AND password_hash IS NOT DISTINCT FROM $10
    FOR NO KEY UPDATE
  ), first AS (
    UPDATE users SET first_signed_in_at = now() FROM owner WHERE users.id = owner.id AND first_signed_in_at IS NULL
  ), event AS (
    INSERT INTO auth_events (what, user_id, ip, user_agent) SELECT 'sign_in', id, $8, $9 FROM owner
  )
  INSERT INTO refresh_tokens (id, family_id, user_id, token, created_at, expires_at, signed_in_at, ip, user_agent)
  SELECT $1, $2, id, $4, to_timestamp($5), to_timestamp($6), to_timestamp($7), $8, $9 FROM owner`

export const ROTATE = `
  WITH parent AS (
    UPDATE refresh_tokens t SET rotated_at = now(), successor_id = $2
    FROM users u
    WHERE t.token = $1 AND t.rotated_at IS NULL AND t.revoked_at IS NULL AND t.expires_at > now()
      AND u.id = t.user_id AND u.disabled_at IS NULL AND NOT ${isFamilyRevoked('t')}
    RETURNING t.family_id, t.user_id, t.signed_in_at, u.username, u.email, u.name
  ), successor AS (
    INSERT INTO refresh_tokens (id, family_id, user_id, token, created_at, expires_at, signed_in_at, ip, user_agent)
    SELECT $2, family_id, user_id, $3, to_timestamp($4), to_timestamp($5), signed_in_at, $6, $7 FROM parent
  )
  SELECT user_id AS id, username, email, name FROM parent`

const INSPECT = `
  SELECT t.family_id AS "familyId", t.user_id AS "userId",
    t.rotated_at IS NOT NULL AS used,
    t.expires_at <= now() OR u.disabled_at IS NOT NULL OR ${isFamilyRevoked('t')} AS ended,
    json_build_object('id', u.id::text, 'username', u.username, 'email', u.email, 'name', u.name) AS owner,
    CASE WHEN t.rotated_at > now() - interval '${GRACE_PERIOD}' AND s.rotated_at IS NULL THEN json_build_object(
      'id', s.id, 'familyId', s.family_id, 'userId', s.user_id::text,
      'issuedAt', extract(epoch FROM s.created_at)::bigint,
      'expiresAt', extract(epoch FROM s.expires_at)::bigint,
      'signedInAt', extract(epoch FROM s.signed_in_at)::bigint,
      'digest', encode(s.token, 'hex')
    ) END AS successor
  FROM refresh_tokens t JOIN users u ON u.id = t.user_id LEFT JOIN refresh_tokens s ON s.id = t.successor_id
  WHERE t.token = $1`

// A statement of its own, after the one that locks the user: only then it sees the sessions of concurrent sign-ins.
// The new session stays, even if the clock of this instance is behind.
export const END_EXCESS = `
  UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'session_limit'
  WHERE id = ANY (ARRAY(
    SELECT id FROM refresh_tokens t
    WHERE user_id = $1 AND family_id <> $2 AND rotated_at IS NULL AND revoked_at IS NULL AND expires_at > now()
      AND NOT ${isFamilyRevoked('t')}
    ORDER BY created_at DESC OFFSET ${MAX_SESSIONS - 1} LIMIT ${MAX_ENDED_AT_ONCE}))`

const LIST_LIVE = `
  SELECT family_id AS id, host(ip) AS ip, user_agent AS "userAgent",
    signed_in_at AS "firstUsedAt", created_at AS "lastUsedAt"
  FROM refresh_tokens t
  WHERE user_id = $1 AND rotated_at IS NULL AND revoked_at IS NULL AND expires_at > now()
    AND NOT ${isFamilyRevoked('t')}
  ORDER BY created_at DESC LIMIT ${MAX_SESSIONS}`

const IS_LIVE = `
  SELECT FROM refresh_tokens t
  WHERE family_id = $2 AND user_id = $1 AND rotated_at IS NULL AND revoked_at IS NULL AND expires_at > now()
    AND NOT ${isFamilyRevoked('t')}`

interface Inspection {
  familyId: string
  userId: string
  used: boolean
  ended: boolean
  owner: Owner
  /** The unused successor, during the grace period. `digest` is that of its value, in hexadecimal. */
  successor: RefreshRecord & { digest: string } | null
}

function createSessionsStore (app: FastifyInstance) {
  const { database } = app

  return {
    /**
     * Starts a family and records the sign-in. Returns false if the account was disabled,
     * or its password changed, since `checkedHash` was read.
     */
    async add (
      client: Queryable,
      value: string,
      record: RefreshRecord,
      info: ClientInfo,
      checkedHash: string | null
    ): Promise<boolean> {
      const { id, familyId, userId, issuedAt, expiresAt, signedInAt } = record
      const { rowCount } = await client.query({
        name: 'sign-in',
        text: ADD,
        values: [
          id, familyId, userId, digest(value), issuedAt, expiresAt, signedInAt, info.ip, info.userAgent, checkedHash,
        ],
      })
      return rowCount === 1
    },

    /** Ends the sessions used longest ago beyond the limit. In the transaction of `add`, which has locked the user. */
    async endExcess (client: Queryable, { userId, familyId }: RefreshRecord) {
      await client.query({ name: 'end-excess', text: END_EXCESS, values: [userId, familyId] })
    },

    /** Replaces a live token by its successor. Atomic: only one concurrent caller succeeds. */
    async rotate (
      value: string,
      successor: { id: string, value: string, issuedAt: number, expiresAt: number },
      info: ClientInfo
    ): Promise<Owner | undefined> {
      const { id, issuedAt, expiresAt } = successor
      const { rows } = await database.query<Owner>({
        name: 'rotate',
        text: ROTATE,
        values: [digest(value), id, digest(successor.value), issuedAt, expiresAt, info.ip, info.userAgent],
      })
      return rows[0]
    },

    /** The state of a token that could not be rotated. */
    async inspect (value: string): Promise<Inspection | undefined> {
      const { rows } = await database.query<Inspection>(INSPECT, [digest(value)])
      return rows[0]
    },

    async isLive (userId: string, familyId: string): Promise<boolean> {
      const { rowCount } = await database.query(IS_LIVE, [userId, familyId])
      return Boolean(rowCount)
    },

    async live (userId: string): Promise<LiveSession[]> {
      const { rows } = await database.query<LiveSession>(LIST_LIVE, [userId])
      return rows
    },

    async revokeFamily (client: Queryable, userId: string, familyId: string, reason: EndReason): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE refresh_tokens SET revoked_at = now(), revoked_for = $3
        WHERE family_id = $1 AND user_id = $2 AND revoked_at IS NULL`, [familyId, userId, reason])
      return Boolean(rowCount)
    },

    /** Locks the user first, as a sign-in does: otherwise both could wait for sessions that the other has locked. */
    async revokeAll (client: Queryable, userId: string, reason: EndReason, exceptFamily: string | null = null) {
      await client.query(`
        UPDATE refresh_tokens SET revoked_at = now(), revoked_for = $2
        WHERE user_id = (SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE)
          AND family_id IS DISTINCT FROM $3 AND revoked_at IS NULL`, [userId, reason, exceptFamily])
    },
  }
}

export default fp(async function (app) {
  app.decorate('sessionsStore', createSessionsStore(app))
}, { name: 'sessions-store', dependencies: ['database'] })
