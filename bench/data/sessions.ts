import type { Stage } from '../environment/stage.ts'
import { refreshToken } from './tokens.ts'

/** Without the foreign key checks, which would take longer than the rest. */
const TRUSTING = "SET session_replication_role = 'replica'"

/**
 * Inserts sessions in one statement, distributed over the users.
 * Returns the refresh tokens of a sample, distributed over the table: only these can be used.
 */
export async function fillSessions (
  stage: Stage,
  database: string,
  { users, sessions, sample, deviceKey }: { users: number, sessions: number, sample: number, deviceKey?: string }
): Promise<string[]> {
  const usable = Array.from({ length: sample }, (_, index) => {
    const n = Math.floor((index * sessions) / sample)
    return { n, ...refreshToken((n % users) + 1) }
  })
  await stage.query(
    database,
    `
    INSERT INTO refresh_tokens (id, user_id, token, expires_at, signed_in_at, ip, user_agent, amr, device_key)
    SELECT coalesce(usable.sid, md5('session' || n)::uuid), n % $1 + 1, coalesce(usable.token, sha256(int8send(n))),
      now() + interval '20 days', now(), '127.0.0.1', 'Mozilla/5.0', '{pwd}', $6
    FROM generate_series(0, $2::bigint - 1) n
      LEFT JOIN unnest($3::bigint[], $4::uuid[], $5::bytea[]) usable (n, sid, token) USING (n)`,
    [
      users, sessions, usable.map(({ n }) => n), usable.map(({ sid }) => sid), usable.map(({ digest }) => digest),
      deviceKey,
    ],
    [TRUSTING]
  )
  return usable.map(({ value }) => value)
}

export async function fillUsers (stage: Stage, database: string, users: number, passwordHash: string) {
  await stage.query(
    database,
    `
    INSERT INTO users (username, email, password_hash, email_verified_at)
    SELECT 'user' || n, 'user' || n || '@example.com', $1, now() FROM generate_series(1, ${users}) n`,
    [passwordHash]
  )
}
