import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { secrets } from './build.ts'

/** A link, as its mail has it. A change is requested in the newest session of the account. */
export async function addressLink (
  app: FastifyInstance,
  owner: pg.Pool,
  kind: 'change_email' | 'undo_email',
  userId: string,
  email: string
): Promise<string> {
  const { rows: [session] } = await owner.query(
    'SELECT id FROM refresh_tokens WHERE user_id = $1 ORDER BY issued_at DESC LIMIT 1', [userId])
  const encrypted = kind === 'change_email'
    ? await app.addressLinks.addChange(app.database, { userId, sid: session.id }, email)
    : await app.addressLinks.addUndo(app.database, userId, email)
  const value = await app.addressLinks.open(encrypted, kind) as string
  secrets.add(value)
  return value
}
