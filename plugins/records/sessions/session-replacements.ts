import fp from 'fastify-plugin'
import { digest } from '../../../src/secrets/digest.ts'
import type { Proof } from '../../../src/sessions/session.ts'
import type { Queryable } from '../../infrastructure/database.ts'
import { lockOwner, type SessionRecord } from './sessions-store.ts'

declare module 'fastify' {
  interface FastifyInstance { sessionReplacements: ReturnType<typeof createSessionReplacements> }
}

/** A live session that is about to be replaced. */
interface LockedSession { username: string, signedInAt: number, proof: Proof }

interface Replacement { refreshToken: string, proof: Proof, proofKey?: Buffer }

const READ_LOCKED = `
  SELECT u.username, extract(epoch FROM t.signed_in_at)::bigint::float8 AS "signedInAt",
    json_build_object('amr', t.amr,
      'authTime', floor(extract(epoch FROM coalesce(t.auth_time, t.signed_in_at)))) AS proof
  FROM refresh_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.id = $2 AND t.user_id = $1 AND t.revoked_at IS NULL AND t.expires_at > now() AND u.disabled_at IS NULL
  FOR UPDATE OF t`

// The device and its key stay the same, and so does the day on which the session ends at the latest. Applications stay
// signed in.
const REPLACE = `
  WITH replaced AS (
    UPDATE refresh_tokens SET revoked_at = now(), revoked_for = 'replaced', replaced_by = $2, proof_key = $8
    WHERE id = $1
    RETURNING user_id, signed_in_at, ip, user_agent, device_key, coalesce(first_id, id) AS first_id
  ), moved AS (
    UPDATE application_grants SET signed_in_from = $2,
      session_id = CASE WHEN session_id = $1 THEN $2 ELSE session_id END
    WHERE signed_in_from = $1
  )
  INSERT INTO refresh_tokens (
    id, user_id, token, issued_at, expires_at, signed_in_at, ip, user_agent, device_key, amr, auth_time, first_id)
  SELECT
    $2, user_id, $3, to_timestamp($4), to_timestamp($5), signed_in_at, ip, user_agent, device_key, $6,
    to_timestamp($7), first_id
  FROM replaced`

/** A new proof of identity: the session goes on under another id. */
function createSessionReplacements () {
  return {
    /** Keeps the session, and all others of the account, until the transaction ends. Undefined if it has ended. */
    async lock (client: Queryable, userId: string, id: string): Promise<LockedSession | undefined> {
      await lockOwner(client, userId)
      const { rows } = await client.query<LockedSession>(READ_LOCKED, [userId, id])
      return rows[0]
    },

    /** After `lock`: the session goes on under another id. */
    async replace (
      client: Queryable,
      id: string,
      { id: newId, issuedAt, expiresAt }: SessionRecord,
      { refreshToken, proof: { amr, authTime }, proofKey }: Replacement
    ) {
      await client.query(REPLACE, [id, newId, digest(refreshToken), issuedAt, expiresAt, amr, authTime, proofKey])
    },

    /** The session that replaced this one. `proofKey`: the digest of the key of the browser that sent the proof. */
    async successorOf (client: Queryable, id: string, proofKey: Buffer): Promise<string | undefined> {
      const { rows } = await client.query<{ id: string }>(
        'SELECT replaced_by AS id FROM refresh_tokens WHERE id = $1 AND proof_key = $2', [id, proofKey])
      return rows[0]?.id
    },
  }
}

export default fp(async function (app) {
  app.decorate('sessionReplacements', createSessionReplacements())
}, { name: 'session-replacements' })
