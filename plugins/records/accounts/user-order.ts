import fp from 'fastify-plugin'
import { isStoredTime, type AccountSort, type Cursor } from '../../../src/operators/list-parameters.ts'
import type { Condition, Place } from './user-filter.ts'

declare module 'fastify' {
  interface FastifyInstance { userOrder: typeof userOrder }
}

const COLUMNS = `u.id, u.username, u.email, u.name, u.external_id AS "externalId", u.language,
  u.time_zone AS "timeZone", u.email_verified_at AS "emailVerifiedAt", u.disabled_at AS "disabledAt",
  u.created_at AS "createdAt", s.at AS "lastSignInAt", array_remove(ARRAY[
    CASE WHEN EXISTS (SELECT FROM totp t WHERE t.user_id = u.id AND t.confirmed_at IS NOT NULL) THEN 'totp' END,
    CASE WHEN EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) THEN 'passkey' END], NULL) AS "secondFactors"`
const FROM_PAGE = 'JOIN users u ON u.id = page.id LEFT JOIN last_sign_ins s ON s.user_id = u.id'

/** Larger, a search for a rare text takes longer; smaller, a search for a text that one account in thirty has. */
const NEXT = 1_000

/** A list is one part, or several one after the other. Each is in the order of an index. */
interface Part {
  from: string
  /** What it is sorted by, and its type. */
  key: string
  type: string
  condition?: string
  /** Whether a key of a cursor can belong to this part. */
  isKey (key: string): boolean
  /** Whether it has a few accounts, which an index finds. */
  isFew?: boolean
  /** How to read it if the ids of the accounts are known. Otherwise PostgreSQL would read all sign-ins at once. */
  byIds?: Partial<Pick<Part, 'from' | 'key' | 'condition'>>
}

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
  byIds: { from: '(SELECT user_id AS id, at FROM last_sign_ins) u', key: 'u.at' },
}
const NEVER: Part = {
  from: 'users u',
  key: "''",
  type: 'text',
  condition: 'NOT EXISTS (SELECT FROM last_sign_ins s WHERE s.user_id = u.id)',
  isKey: isEmpty,
  byIds: { condition: '(SELECT s.at FROM last_sign_ins s WHERE s.user_id = u.id) IS NULL' },
}
const EXACT: Part = { from: 'users u', key: "''", type: 'text', isKey: isEmpty, isFew: true }

export type ListPart = Part & { and?: Condition }

/** Without a sort: what is exactly the text that was searched for, then the newest first. */
export function partsOf (sort: AccountSort | undefined, exact: Condition | undefined): ListPart[] {
  if (sort?.endsWith('username')) return [USERNAME]
  if (sort === '-lastSignIn') return [SIGNED_IN, NEVER]
  if (sort === 'lastSignIn') return [NEVER, SIGNED_IN]
  if (sort || !exact) return [CREATED]
  return [{ ...EXACT, and: exact }, { ...CREATED, and: place => `${exact(place)} IS NOT TRUE` }]
}

/** Where a page begins, and in which direction the list goes. */
export interface Start { isAscending: boolean, cursor?: Cursor }

const idOf = ({ from }: Part) => from === SIGNED_IN.from ? 's.user_id' : 'u.id'
const directionOf = ({ isAscending }: Start) => isAscending ? 'ASC' : 'DESC'
const whereAll = (conditions: string[]) => conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''

/** The accounts that come after the cursor. */
function afterCursor (part: Part, { isAscending, cursor }: Start, place: Place): string[] {
  if (!cursor) return []
  const [id, than] = [idOf(part), isAscending ? '>' : '<']
  if (part.isKey === isEmpty) return [`${id} ${than} ${place(cursor.id)}::bigint`]
  const collation = part.type === 'text' ? 'COLLATE "C"' : ''
  return [`(${part.key}, ${id}) ${than} (${place(cursor.key)}::${part.type} ${collation}, ${place(cursor.id)}::bigint)`]
}

/** In the order of the index. */
function sorted (part: Part, start: Start): string {
  const [id, direction] = [idOf(part), directionOf(start)]
  return part.isKey === isEmpty ? `${id} ${direction}` : `${part.key} ${direction}, ${id} ${direction}`
}

const conditionsOf = ({ condition, and }: ListPart, conditions: Condition[], place: Place): string[] =>
  [...condition ? [condition] : [], ...[...conditions, ...and ? [and] : []].map(each => each(place))]

/** The next accounts in the order of the part, whether they match or not: so few that all can be looked at. */
function nextAccounts (part: ListPart, start: Start, place: Place): string {
  const after = whereAll(afterCursor(part, start, place))
  return `(SELECT u.*, ${part.key} AS key FROM ${part.from} ${after} ORDER BY ${sorted(part, start)} LIMIT ${NEXT}) u`
}

/** How many of the next accounts match. */
export function countNextQuery (part: ListPart, conditions: Condition[], start: Start) {
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const matching = whereAll(conditionsOf(part, conditions, place))
  return {
    text: `SELECT count(*)::int AS seen, (count(*) FILTER (${matching}))::int AS found
      FROM ${nextAccounts(part, start, place)}`,
    values,
  }
}

/** The first accounts of a part after the cursor, or of the next ones. The time keeps its microseconds as text. */
export function pageQuery (
  listed: ListPart,
  conditions: Condition[],
  { isNext, isByIds, limit, ...start }: Start & { isNext: boolean, isByIds: boolean, limit: number }
) {
  const part = isByIds ? { ...listed, ...listed.byIds } : listed
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const direction = directionOf(start)
  const own = conditionsOf(part, conditions, place)
  const found = isNext
    ? `SELECT u.id, u.key FROM ${nextAccounts(part, start, place)} ${whereAll(own)}
        ORDER BY u.key ${direction}, u.id ${direction}`
    : `SELECT ${idOf(part)} AS id, ${part.key} AS key FROM ${part.from}
        ${whereAll([...afterCursor(part, start, place), ...own])} ORDER BY ${sorted(part, start)}`
  const key = part.type === 'timestamptz' ? "(page.key AT TIME ZONE 'UTC')::text || '+00'" : 'page.key'
  return {
    text: `
      SELECT ${COLUMNS}, ${key} AS key FROM (${found} LIMIT ${place(limit)}) page ${FROM_PAGE}
      ORDER BY page.key ${direction}, page.id ${direction}`,
    values,
  }
}

/** One account, as the pages have it. */
const ONE = `SELECT ${COLUMNS} FROM (SELECT $1::bigint AS id) page ${FROM_PAGE}`

/** The statements that read accounts in an order. */
const userOrder = { partsOf, countNextQuery, pageQuery, one: ONE, next: NEXT }

export default fp(async function (app) {
  app.decorate('userOrder', userOrder)
}, { name: 'user-order' })
