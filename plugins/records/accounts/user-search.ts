import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  isStoredTime, readCursor, writeCursor, type AccountSort, type Cursor,
} from '../../../src/operators/list-parameters.ts'
import type { Condition, Selection, UserFilter } from './user-filter.ts'

declare module 'fastify' {
  interface FastifyInstance { userSearch: ReturnType<typeof createUserSearch> }
}

export interface FoundUser {
  id: string
  username: string
  email: string
  name: string | null
  externalId: string | null
  emailVerifiedAt: Date | null
  disabledAt: Date | null
  createdAt: Date
  secondFactors: Array<'totp' | 'passkey'>
  lastSignInAt: Date | null
}

export interface SearchPage { users: FoundUser[], next: string | null, count: number, isCountExact: boolean }

const COLUMNS = `u.id, u.username, u.email, u.name, u.external_id AS "externalId",
  u.email_verified_at AS "emailVerifiedAt", u.disabled_at AS "disabledAt", u.created_at AS "createdAt",
  s.at AS "lastSignInAt", array_remove(ARRAY[
    CASE WHEN EXISTS (SELECT FROM totp t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL) THEN 'totp' END,
    CASE WHEN EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) THEN 'passkey' END], NULL) AS "secondFactors"`
const FROM_PAGE = 'JOIN users u ON u.id = page.id LEFT JOIN last_sign_ins s ON s.user_id = u.id'

/** A list is one part, or several one after the other. Each is in the order of an index. */
interface Part { from: string, key: string, type: string, condition?: string, isKey (key: string): boolean }

// PostgreSQL stores no NUL.
const isText = (key: string) => key.length <= 254 && !key.includes('\0')
const isEmpty = (key: string) => key === ''

const CREATED: Part = { from: 'users u', key: 'u.created_at', type: 'timestamptz', isKey: isStoredTime }
const USERNAME: Part = { from: 'users u', key: 'lower(u.username) COLLATE "C"', type: 'text', isKey: isText }
const SIGNED_IN: Part = {
  from: 'last_sign_ins s JOIN users u ON u.id = s.user_id',
  key: 's.at',
  type: 'timestamptz',
  isKey: isStoredTime,
}
const NEVER: Part = {
  from: 'users u',
  key: "''",
  type: 'text',
  condition: 'NOT EXISTS (SELECT FROM last_sign_ins s WHERE s.user_id = u.id)',
  isKey: isEmpty,
}
const EXACT: Part = { from: 'users u', key: "''", type: 'text', isKey: isEmpty }

/** Without a sort: what is exactly the text that was searched for, then the newest first. */
function partsOf (sort: AccountSort | undefined, { exact }: Selection): Array<Part & { and?: Condition }> {
  if (sort?.endsWith('username')) return [USERNAME]
  if (sort === '-lastSignIn') return [SIGNED_IN, NEVER]
  if (sort === 'lastSignIn') return [NEVER, SIGNED_IN]
  if (sort || !exact) return [CREATED]
  return [{ ...EXACT, and: exact }, { ...CREATED, and: place => `${exact(place)} IS NOT TRUE` }]
}

/** The first accounts of a part, or those after the cursor. The time keeps its microseconds as text. */
export function pageQuery (
  part: Part & { and?: Condition },
  conditions: Condition[],
  { isAscending, limit, cursor }: { isAscending: boolean, limit: number, cursor?: Cursor }
) {
  const { from, key, type, condition, and } = part
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const id = part === SIGNED_IN ? 's.user_id' : 'u.id'
  const [than, order] = isAscending ? ['>', 'ASC'] : ['<', 'DESC']
  const collation = type === 'text' ? 'COLLATE "C"' : ''
  const after = cursor && (part.isKey === isEmpty
    ? `${id} ${than} ${place(cursor.id)}::bigint`
    : `(${key}, ${id}) ${than} (${place(cursor.key)}::${type} ${collation}, ${place(cursor.id)}::bigint)`)
  const all = [condition, after, ...[...conditions, ...and ? [and] : []].map(each => each(place))].filter(Boolean)
  const keyText = type === 'timestamptz' ? "(page.key AT TIME ZONE 'UTC')::text || '+00'" : 'page.key'
  const sorted = part.isKey === isEmpty ? `${id} ${order}` : `${key} ${order}, ${id} ${order}`
  return {
    text: `
      SELECT ${COLUMNS}, ${keyText} AS key FROM (
        SELECT ${id} AS id, ${key} AS key FROM ${from} ${all.length > 0 ? `WHERE ${all.join(' AND ')}` : ''}
        ORDER BY ${sorted} LIMIT ${place(limit)}
      ) page ${FROM_PAGE} ORDER BY page.key ${order}, page.id ${order}`,
    values,
  }
}

/** Pages of accounts by index, also with a million of them. */
function createUserSearch ({ database, userFilter }: FastifyInstance) {
  type Row = FoundUser & { key: string }

  return {
    async page (
      filter: UserFilter,
      sort: AccountSort | undefined,
      limit: number,
      cursor?: string
    ): Promise<SearchPage> {
      const isNewestFirst = !sort || sort === '-created'
      const enough = isNewestFirst && !cursor ? limit + 1 : undefined
      const selection = await userFilter.select(filter, isNewestFirst || sort === 'created', enough)
      const parts = partsOf(sort, selection)
      const start = cursor ? readCursor(cursor, key => parts.some(({ isKey }) => isKey(key))) : undefined
      const first = start ? parts.findIndex(({ isKey }) => isKey(start.key)) : 0
      const rows: Row[] = []
      for (const [index, part] of parts.slice(first).entries()) {
        const { text, values } = pageQuery(part, selection.conditions, {
          isAscending: sort !== undefined && !sort.startsWith('-'),
          limit: limit + 1 - rows.length,
          cursor: index === 0 ? start : undefined,
        })
        rows.push(...(await database.query<Row>(text, values)).rows)
        if (rows.length > limit) break
      }
      const last = rows[limit - 1]
      return {
        users: rows.slice(0, limit),
        next: rows.length > limit && last ? writeCursor(last) : null,
        count: selection.count,
        isCountExact: selection.isCountExact,
      }
    },

    async one (id: string): Promise<FoundUser | undefined> {
      const { rows } = await database.query<FoundUser>(
        `SELECT ${COLUMNS} FROM (SELECT $1::bigint AS id) page ${FROM_PAGE}`, [id])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('userSearch', createUserSearch(app))
}, { name: 'user-search', dependencies: ['database', 'user-filter'] })
