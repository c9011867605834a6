import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HAS_PASSWORD } from '../../../src/passwords/no-password.ts'
import { contains, TRIGRAM, type Condition, type UserFilter } from './user-filter.ts'

declare module 'fastify' {
  interface FastifyInstance { userList: ReturnType<typeof createUserList> }
}

interface ListedUser {
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

interface ListFilter {
  limit: number
  /** Only users with a larger id. */
  after?: string
  /** A part of the username, the email or the name, or the whole external id. */
  search?: string
  disabled?: boolean
  unconfirmed?: boolean
}

const COLUMNS = `u.id, u.username, u.email, u.name, u.external_id AS "externalId", u.provider,
  ${HAS_PASSWORD} AS "hasPassword", u.email_verified_at AS "emailVerifiedAt", u.disabled_at AS "disabledAt",
  u.created_at AS "createdAt"`

/** No index has the parts of a text that is this short: all accounts are read. */
const isShort = (search: string) => search !== '' && [...search].length < TRIGRAM

/** By the accounts that an index has selected. */
export function listQuery ({ limit, after = '0', search = '' }: ListFilter, selected: Condition[]) {
  const values: unknown[] = [after, limit + 1]
  const conditions = [...selected, ...isShort(search) ? [contains(search)] : []]
    .map(condition => `AND ${condition(value => `$${values.push(value)}`)}`)
  return {
    text: `SELECT ${COLUMNS} FROM users u WHERE u.id > $1 ${conditions.join(' ')} ORDER BY u.id LIMIT $2`,
    values,
  }
}

/** The same filter, as the index knows it. */
export const filterOf = ({ search = '', disabled, unconfirmed }: ListFilter): UserFilter => ({
  q: isShort(search) ? undefined : search,
  state: disabled ? 'disabled' : undefined,
  confirmed: unconfirmed ? 'no' : undefined,
})

function createUserList ({ database, userFilter }: FastifyInstance) {
  return {
    /** In the order of their ids. `next` is the value of `after` for the next page, if there is one. */
    async page (filter: ListFilter) {
      const { conditions } = await userFilter.select(filterOf(filter))
      const { text, values } = listQuery(filter, conditions)
      const { rows } = await database.query<ListedUser>(text, values)
      const users = rows.slice(0, filter.limit)
      return { users, next: rows.length > filter.limit ? users.at(-1)?.id : undefined }
    },
  }
}

export default fp(async function (app) {
  app.decorate('userList', createUserList(app))
}, { name: 'user-list', dependencies: ['database', 'user-filter'] })
