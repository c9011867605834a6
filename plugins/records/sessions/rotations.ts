import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { ClientInfo } from '../../../src/edge/client-address.ts'
import { digest } from '../../../src/secrets/digest.ts'
import type { DeviceProof, Proof } from '../../../src/sessions/session.ts'
import type { SessionRecord } from './sessions-store.ts'

declare module 'fastify' {
  interface FastifyInstance { rotations: ReturnType<typeof createRotations> }
}

interface Owner { id: string, username: string, email: string, name: string | null }

/** The session goes on as it was proved. */
interface Rotation { owner: Owner, proof: Proof }

export interface Inspection extends Rotation {
  session: SessionRecord
  ended: boolean
  /** Whether the current token replaced the one before within the grace period. */
  inGrace: boolean
  /** The digest of the current token, in hexadecimal. */
  digest: string
  /** The thumbprint of the key that the session is bound to. */
  deviceKey: string | null
  /** The id of the last proof of this key with which the current token was made, or sent again. */
  usedProof: string | null
}

interface RotatedRow extends Owner, Proof {}

/** A used token is accepted for this long: two tabs may refresh at once, and a response may get lost. */
export const GRACE_PERIOD = '30 seconds'
/** The browser client keeps the key of a proof for this long. */
const PROOF_GRACE_PERIOD = '10 minutes'

// By primary key, and only what no index contains: the update is HOT.
export const ROTATE = `
  UPDATE refresh_tokens t SET generation = $3, token = $4, issued_at = to_timestamp($5),
    expires_at = to_timestamp($6), rotated_at = now(), ip = $7, user_agent = $8, used_proof = $11
  FROM users u
  WHERE t.id = $1 AND t.token = $2 AND t.revoked_at IS NULL AND t.expires_at > now()
    AND (t.device_key IS NULL OR t.device_key = $9 OR NOT $10) AND u.id = t.user_id AND u.disabled_at IS NULL
  RETURNING u.id, u.username, u.email, u.name, t.amr,
    floor(extract(epoch FROM coalesce(t.auth_time, t.signed_in_at)))::float8 AS "authTime"`

const STATE = `
  SELECT json_build_object(
      'id', t.id, 'userId', t.user_id::text, 'generation', t.generation,
      'issuedAt', extract(epoch FROM t.issued_at)::bigint,
      'expiresAt', extract(epoch FROM t.expires_at)::bigint,
      'signedInAt', extract(epoch FROM t.signed_in_at)::bigint
    ) AS session,
    t.revoked_at IS NOT NULL OR t.expires_at <= now() OR u.disabled_at IS NOT NULL AS ended,
    coalesce(t.rotated_at > now() - interval '${GRACE_PERIOD}', false) AS "inGrace",
    encode(t.token, 'hex') AS digest, t.device_key AS "deviceKey",
    t.used_proof AS "usedProof",
    json_build_object('id', u.id::text, 'username', u.username, 'email', u.email, 'name', u.name) AS owner,
    json_build_object('amr', t.amr,
      'authTime', floor(extract(epoch FROM coalesce(t.auth_time, t.signed_in_at)))) AS proof
  FROM refresh_tokens t JOIN users u ON u.id = t.user_id`

const INSPECT = `${STATE} WHERE t.id = $1`

// Until its first rotation, which shows that the browser has got it.
const INSPECT_SUCCESSOR = `${STATE} JOIN refresh_tokens replaced ON replaced.replaced_by = t.id
  WHERE replaced.id = $1 AND replaced.proof_key = $2
    AND replaced.revoked_at > now() - interval '${PROOF_GRACE_PERIOD}' AND t.generation = 0`

function createRotations ({ config, database }: FastifyInstance) {
  const needsKey = config.DEVICE_BOUND_SESSIONS === 'on'

  return {
    /**
     * Replaces the current token by its successor. Atomic: only one concurrent caller succeeds.
     * `proof`: of the key of the device, which a bound session needs.
     */
    async rotate (
      value: string,
      { id, generation, issuedAt, expiresAt }: SessionRecord,
      successor: string,
      { ip, userAgent }: ClientInfo,
      proof?: DeviceProof
    ): Promise<Rotation | undefined> {
      const { rows: [row] } = await database.query<RotatedRow>({
        name: 'rotate',
        text: ROTATE,
        values: [
          id, digest(value), generation, digest(successor), issuedAt, expiresAt, ip, userAgent, proof?.key, needsKey,
          proof?.id,
        ],
      })
      if (!row) return undefined
      const { amr, authTime, ...owner } = row
      return { owner, proof: { authTime, amr } }
    },

    /** After a lost response: with this proof, the current token was sent again. */
    async noteProof (sessionId: string, { id }: DeviceProof) {
      await database.query(`
        UPDATE refresh_tokens SET used_proof = $2
        WHERE id = $1 AND (used_proof IS NULL OR used_proof COLLATE "C" < $2)`, [sessionId, id])
    },

    /** The state of a session whose token could not be replaced. */
    async inspect (sessionId: string): Promise<Inspection | undefined> {
      const { rows } = await database.query<Inspection>(INSPECT, [sessionId])
      return rows[0]
    },

    /** The session that replaced this one, for the browser that sent the proof: `proofKey` is the digest of its key. */
    async inspectSuccessor (sessionId: string, proofKey: Buffer): Promise<Inspection | undefined> {
      const { rows } = await database.query<Inspection>(INSPECT_SUCCESSOR, [sessionId, proofKey])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('rotations', createRotations(app))
}, { name: 'rotations', dependencies: ['database'] })
