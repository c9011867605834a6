import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HAS_PASSWORD } from '../../../src/passwords/no-password.ts'

declare module 'fastify' {
  interface FastifyInstance { userList: ReturnType<typeof createUserList> }
}

export interface ListedUser {
  id: string
  username: string
  email: string
  name: string | null
  externalId: string | null
  provider: string | null
  hasPassword: boolean
  emailVerifiedAt: Date | null
  disabledAt: Date | null
  createdAt: Date
}

export interface UserFilter {
  limit: number
  /** Only users with a larger id. */
  after?: string
  /** A part of the username, the email or the name, or the whole external id. */
  search?: string
  disabled?: boolean
  unconfirmed?: boolean
}

const PAGE = `
  SELECT id, username, email, name, external_id AS "externalId", provider, ${HAS_PASSWORD} AS "hasPassword",
    email_verified_at AS "emailVerifiedAt", disabled_at AS "disabledAt", created_at AS "createdAt"
  FROM users
  WHERE id > $1
    AND ($2::text IS NULL OR username ILIKE $2 OR email ILIKE $2 OR name ILIKE $2 OR external_id = $6)
    AND (NOT $3 OR disabled_at IS NOT NULL)
    AND (NOT $4 OR email_verified_at IS NULL)
  ORDER BY id LIMIT $5`

function createUserList ({ database }: FastifyInstance) {
  return {
    /** In the order of their ids. `next` is the value of `after` for the next page, if there is one. */
    async page ({ limit, after = '0', search, disabled = false, unconfirmed = false }: UserFilter) {
      const pattern = search && `%${search.replace(/[\\%_]/g, '\\$&')}%`
      const values = [after, pattern || null, disabled, unconfirmed, limit + 1, search]
      const { rows } = await database.query<ListedUser>(PAGE, values)
      const users = rows.slice(0, limit)
      return { users, next: rows.length > limit ? users.at(-1)?.id : undefined }
    },
  }
}

export default fp(async function (app) {
  app.decorate('userList', createUserList(app))
}, { name: 'user-list', dependencies: ['database'] })
