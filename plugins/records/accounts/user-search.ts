import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readCursor, writeCursor } from '../../../src/operators/list-parameters.ts'

declare module 'fastify' {
  interface FastifyInstance { userSearch: ReturnType<typeof createUserSearch> }
}

export interface FoundUser {
  id: string
  username: string
  email: string
  name: string | null
  emailVerifiedAt: Date | null
  disabledAt: Date | null
  createdAt: Date
}

export interface SearchPage { users: FoundUser[], next: string | null, count: number, isCountExact: boolean }

/** Counting stops here, so that it takes no longer with a million accounts. */
const MAX_COUNT = 1_000

const COLUMNS = `id, username, email, name, email_verified_at AS "emailVerifiedAt", disabled_at AS "disabledAt",
  created_at AS "createdAt"`

const USERNAME = 'lower(username) COLLATE "C"'
const EMAIL = 'lower(email) COLLATE "C"'
// In the collation C, this is the range of all texts that begin with $1.
const beginsWith = (column: string) => `${column} >= lower($1) AND ${column} < lower($1) || chr(1114111)`

// One range of each index, in the order of the index. A user whose username matches is not listed for the email again.
const matches = (column: string, condition: string) => `
  (SELECT ${column} AS key, ${COLUMNS} FROM users
   WHERE ${beginsWith(column)} AND (${column}, id) > ($2 COLLATE "C", $3::bigint) ${condition}
   ORDER BY ${column}, id LIMIT $4)`
export const SEARCH = `
  SELECT * FROM (${matches(USERNAME, '')} UNION ALL ${matches(EMAIL, `AND NOT (${beginsWith(USERNAME)})`)}) found
  ORDER BY key COLLATE "C", id LIMIT $4`

const count = (from: string) => `SELECT count(*)::int AS count FROM (${from} LIMIT ${MAX_COUNT + 1}) found`
export const COUNT_MATCHES = count(`
  SELECT FROM users WHERE ${beginsWith(USERNAME)}
  UNION ALL SELECT FROM users WHERE ${beginsWith(EMAIL)} AND NOT (${beginsWith(USERNAME)})`)

const NEWEST = `SELECT ${COLUMNS} FROM users WHERE id < $1 ORDER BY id DESC LIMIT $2`
const COUNT_ALL = count('SELECT FROM users')
const AFTER_ALL = '9223372036854775807'

// PostgreSQL stores no NUL.
const isKey = (key: string) => key.length <= 254 && !key.includes('\0')

/** Pages of accounts by index, also with a million of them. */
function createUserSearch ({ database }: FastifyInstance) {
  type Row = FoundUser & { key?: string }

  async function pageOf (rows: Row[], limit: number, countText: string, values: string[]): Promise<SearchPage> {
    const found = rows.slice(0, limit)
    const last = found.at(-1)
    const { rows: [counted] } = await database.query<{ count: number }>(countText, values)
    const number = counted?.count ?? 0
    return {
      users: found,
      next: rows.length > limit && last ? writeCursor({ key: last.key ?? '', id: last.id }) : null,
      count: Math.min(number, MAX_COUNT),
      isCountExact: number <= MAX_COUNT,
    }
  }

  return {
    /** Users whose username or email begins with `text`, in the order of what matches. */
    async find (text: string, limit: number, cursor?: string): Promise<SearchPage> {
      const { key, id } = cursor ? readCursor(cursor, isKey) : { key: '', id: '0' }
      const { rows } = await database.query<Row>(SEARCH, [text, key, id, limit + 1])
      return pageOf(rows, limit, COUNT_MATCHES, [text])
    },

    async one (id: string): Promise<FoundUser | undefined> {
      const { rows } = await database.query<FoundUser>(`SELECT ${COLUMNS} FROM users WHERE id = $1`, [id])
      return rows[0]
    },

    async newest (limit: number, cursor?: string): Promise<SearchPage> {
      const { id } = cursor ? readCursor(cursor, key => key === '') : { id: AFTER_ALL }
      const { rows } = await database.query<Row>(NEWEST, [id, limit + 1])
      return pageOf(rows, limit, COUNT_ALL, [])
    },
  }
}

export default fp(async function (app) {
  app.decorate('userSearch', createUserSearch(app))
}, { name: 'user-search', dependencies: ['database'] })
