import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** Adds an application, as an operator does, and returns its id. */
export async function addApplication (owner: pg.Pool, name: string, redirectUri = 'https://album.example/callback') {
  const { rows } = await owner.query<{ id: string }>(
    "INSERT INTO applications (id, name, kind, redirect_uris) VALUES ($1, $2, 'web', $3) RETURNING id",
    [randomUUID(), name, [redirectUri]])
  return rows[0]?.id as string
}

/** As if the user had allowed it a day ago. */
export async function allowApplication (owner: pg.Pool, userId: string, id: string, scopes = ['openid', 'email']) {
  await owner.query(`
    INSERT INTO application_consents (user_id, application_id, scopes, granted_at)
    VALUES ($1, $2, $3, now() - interval '1 day')`, [userId, id, scopes])
}

/** What the application got by a sign-in. It ends with the session. */
export async function addGrant (
  owner: pg.Pool,
  userId: string,
  id: string,
  sessionId: string,
  scopes = ['openid', 'email']
) {
  const grantId = randomUUID()
  await owner.query(`
    INSERT INTO application_grants
      (id, application_id, user_id, session_id, signed_in_from, sid, created_at, used_at, scopes, allowed)
    VALUES ($1, $2, $3, $4, $4, $5, now() - interval '2 hours', now() - interval '1 hour', $6, '{}')`,
  [grantId, id, userId, sessionId, randomUUID(), scopes])
  return grantId
}

/** A session of its own, with which the application stays connected. */
export async function addOfflineSession (owner: pg.Pool, userId: string, id: string): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(`
    INSERT INTO refresh_tokens (id, user_id, token, issued_at, expires_at, signed_in_at, application_id)
    VALUES ($1, $2, $3, now(), now() + interval '1 day', now(), $4) RETURNING id`,
  [randomUUID(), userId, Buffer.from(randomUUID()), id])
  return rows[0]?.id as string
}
