import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'
import { USER_COLUMNS, type User } from './users.ts'

declare module 'fastify' {
  interface FastifyInstance { profiles: ReturnType<typeof createProfiles> }
}

const COLUMNS = {
  name: 'name',
  language: 'language',
  timeZone: 'time_zone',
  username: 'username',
  externalId: 'external_id',
}

type Field = keyof typeof COLUMNS

/** What a profile says, as far as it is to be changed. */
export type ProfileChange = Partial<Pick<User, Field>>

/** `changed`: the names of the fields that have another value now. */
export interface ChangedProfile { user: User, changed: string[] }

/** What accounts say about their users. */
function createProfiles () {
  return {
    /** Locks the account, so that of two changes at once each knows what it has changed. Undefined if it is gone. */
    async change (client: Queryable, id: string, fields: ProfileChange): Promise<ChangedProfile | undefined> {
      const { rows: [user] } = await client.query<User>(
        `SELECT ${USER_COLUMNS} FROM users WHERE id = $1 FOR NO KEY UPDATE`, [id])
      if (!user) return undefined
      const changed = (Object.keys(COLUMNS) as Field[])
        .filter(field => fields[field] !== undefined && fields[field] !== user[field])
      if (changed.length === 0) return { user, changed }
      const { rows: [now] } = await client.query<User>(`
        UPDATE users SET updated_at = now(), ${changed.map((field, index) => `${COLUMNS[field]} = $${index + 2}`)}
        WHERE id = $1 RETURNING ${USER_COLUMNS}`, [id, ...changed.map(field => fields[field])])
      return { user: now ?? user, changed }
    },
  }
}

export default fp(async function (app) {
  app.decorate('profiles', createProfiles())
}, { name: 'profiles' })
