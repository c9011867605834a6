import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../../../src/secrets/digest.ts'
import { createEncryption } from '../../../src/secrets/encryption.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { addressLinks: ReturnType<typeof createAddressLinks> }
}

/** The link is for the new address, or restores the former one. */
type LinkKind = 'change_email' | 'undo_email'

const LIFETIME: Record<LinkKind, string> = { change_email: '1 hour', undo_email: '72 hours' }

// The address and the password of the account `u`.
const REQUESTED_BY = "sha256(convert_to(u.email || ' ' || coalesce(u.password_hash, ''), 'UTF8'))"

// A change is void as soon as its session has ended, or the address or the password of the account is another one.
// A change that an operator requested has no session.
const IS_VALID = `l.used_at IS NULL AND (l.kind = 'undo_email' OR EXISTS (
  SELECT FROM users u LEFT JOIN refresh_tokens s ON s.id = l.session_id
  WHERE u.id = l.user_id AND u.disabled_at IS NULL AND l.requested_by = ${REQUESTED_BY}
    AND (l.session_id IS NULL OR s.user_id = u.id AND s.revoked_at IS NULL AND s.expires_at > now())))`

const IS_LINK = `l.token = $1 AND l.kind = $2 AND ${IS_VALID}`

const OF_SESSION = `l.kind = 'change_email' AND l.user_id = $1 AND l.session_id = $2 AND l.expires_at > now()
  AND ${IS_VALID}`

const ADD_CHANGE = `
  INSERT INTO one_time_tokens (user_id, kind, token, expires_at, email, session_id, requested_by)
  SELECT u.id, 'change_email', $2, now() + interval '${LIFETIME.change_email}', $3, $4, ${REQUESTED_BY}
  FROM users u WHERE u.id = $1`

// Only the newest requested change is valid. One whose mail is never written voids none.
const OPEN = `
  WITH opened AS (
    UPDATE one_time_tokens l SET expires_at = now() + $3::interval WHERE ${IS_LINK} RETURNING id, user_id, kind
  ), replaced AS (
    DELETE FROM one_time_tokens o USING opened
    WHERE o.user_id = opened.user_id AND o.kind = opened.kind AND o.kind = 'change_email' AND o.id < opened.id
      AND o.used_at IS NULL
  )
  SELECT FROM opened`

const ADD_UNDO = `
  INSERT INTO one_time_tokens (user_id, kind, token, expires_at, email)
  VALUES ($1, 'undo_email', $2, now() + interval '${LIFETIME.undo_email}', $3)`

/**
 * Links that change the address of an account, or undo it. Each is added in the transaction that it belongs to, and its
 * mail carries it encrypted: a mail that is late or repeated has no other link, and none that has ended meanwhile.
 */
function createAddressLinks ({ config, database }: FastifyInstance) {
  const encryption = createEncryption('links', config)
  const createValue = () => randomBytes(32).toString('base64url')

  /** Returns the link, encrypted. */
  async function addChange (client: Queryable, { userId, sid }: { userId: string, sid: string | null }, email: string) {
    const value = createValue()
    await client.query(ADD_CHANGE, [userId, digest(value), email, sid])
    return encryption.encrypt(value, 'change_email')
  }

  return {
    addChange,

    addChangeByOperator: (client: Queryable, userId: string, email: string) =>
      addChange(client, { userId, sid: null }, email),

    /** Undo links for other addresses stay valid: a thief who changes it twice must not void the first one. */
    async addUndo (client: Queryable, userId: string, former: string): Promise<string> {
      const value = createValue()
      await client.query(ADD_UNDO, [userId, digest(value), former])
      return encryption.encrypt(value, 'undo_email')
    },

    /** For a mail. From now on, the link is valid as long as a new one. Undefined if it has ended. */
    async open (encrypted: string, kind: LinkKind): Promise<string | undefined> {
      const value = (await encryption.decrypt(encrypted, kind))?.text
      if (!value) return undefined
      const { rowCount } = await database.query(OPEN, [digest(value), kind, LIFETIME[kind]])
      return rowCount ? value : undefined
    },

    /**
     * The account and the address of the link. Atomic: only one concurrent caller gets them.
     * Locks the account first, as does what ends all sessions: of two at once, the second one sees the first.
     */
    async use (client: Queryable, value: string, kind: LinkKind) {
      await client.query(
        'SELECT FROM users WHERE id = (SELECT user_id FROM one_time_tokens WHERE token = $1) FOR NO KEY UPDATE',
        [digest(value)]
      )
      const { rows } = await client.query<{ userId: string, email: string }>(`
        UPDATE one_time_tokens l SET used_at = now() WHERE ${IS_LINK} AND l.expires_at > now()
        RETURNING l.user_id AS "userId", l.email`, [digest(value), kind])
      return rows[0]
    },

    /** The address of the newest change that the session has requested, for its code. */
    async requestedAddress ({ userId, sid }: { userId: string, sid: string }): Promise<string | undefined> {
      const { rows } = await database.query<{ email: string }>(
        `SELECT email FROM one_time_tokens l WHERE ${OF_SESSION} ORDER BY id DESC LIMIT 1`, [userId, sid])
      return rows[0]?.email
    },

    /** After the code was right. Locks the account first, as does the link. Returns false if the change has ended. */
    async useRequested (client: Queryable, { userId, sid }: { userId: string, sid: string }, email: string) {
      await client.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId])
      const { rowCount } = await client.query(
        `UPDATE one_time_tokens l SET used_at = now() WHERE ${OF_SESSION} AND l.email = $3`, [userId, sid, email])
      return Boolean(rowCount)
    },

    /** Changes that an operator or a key has asked for. */
    async endChangesByOperator (client: Queryable, userId: string) {
      await client.query(`DELETE FROM one_time_tokens
        WHERE user_id = $1 AND kind = 'change_email' AND session_id IS NULL AND used_at IS NULL`, [userId])
    },

    /** After an undo: no other address must come back. */
    async endUndos (client: Queryable, userId: string) {
      await client.query(
        "DELETE FROM one_time_tokens WHERE user_id = $1 AND kind = 'undo_email' AND used_at IS NULL", [userId])
    },

    /** Whether a change was undone within the last days. */
    async wasUndone (userId: string): Promise<boolean> {
      const { rowCount } = await database.query(
        "SELECT FROM one_time_tokens WHERE user_id = $1 AND kind = 'undo_email' AND used_at IS NOT NULL", [userId])
      return Boolean(rowCount)
    },
  }
}

export default fp(async function (app) {
  app.decorate('addressLinks', createAddressLinks(app))
}, { name: 'address-links', dependencies: ['database'] })
