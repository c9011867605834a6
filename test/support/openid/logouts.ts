import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Browser } from '../browser.ts'

interface Grant { sid?: string, offline?: string }

/** An application of the OpenID provider, with an endpoint for back-channel logouts if it has a URL. */
export async function addApplication ({ applications, database, logoutEndpoints }: FastifyInstance, url?: string) {
  const [id, name] = [randomUUID(), 'Wiki']
  await database.transact(async client => {
    await applications.add(client, {
      id,
      name,
      kind: 'web',
      redirectUris: [],
      postLogoutUris: [],
      backchannelLogoutUrl: url ?? null,
      trusted: false,
      pkceOptional: false,
      device: false,
    })
    await logoutEndpoints.set(client, id, url ?? null)
  })
  return { id, name }
}

/** The session that the cookies of the browser name. */
export function sessionOf (browser: Browser): string {
  const [, claims = ''] = browser.cookies.get('refresh_token')?.split('.') ?? []
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).sid
}

/** What an application gets by a sign-in from this session. `offline`: a session of its own. */
export async function addGrant (
  owner: pg.Pool,
  applicationId: string,
  session: string,
  { sid = session, offline = session }: Grant = {}
): Promise<string> {
  const { rows } = await owner.query(`
    INSERT INTO application_grants (id, application_id, user_id, session_id, signed_in_from, sid, scopes, allowed)
    SELECT gen_random_uuid(), $1, user_id, $4, id, $3, '{openid}', '{}' FROM refresh_tokens WHERE id = $2 RETURNING id`,
  [applicationId, session, sid, offline])
  return rows[0].id
}
