import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readCursor, writeCursor, type AccountSort } from '../../../src/operators/list-parameters.ts'
import { MAX_COUNT, type Condition, type Selection, type UserFilter } from './user-filter.ts'
import type { ListPart, Start } from './user-order.ts'

declare module 'fastify' {
  interface FastifyInstance { userSearch: ReturnType<typeof createUserSearch> }
}

interface FoundUser {
  id: string
  username: string
  email: string
  name: string | null
  externalId: string | null
  language: string | null
  timeZone: string | null
  emailVerifiedAt: Date | null
  disabledAt: Date | null
  createdAt: Date
  secondFactors: Array<'totp' | 'passkey'>
  lastSignInAt: Date | null
}

interface SearchPage { users: FoundUser[], next: string | null, count: number, isCountExact: boolean }

/** Pages of accounts by index, also with a million of them. */
function createUserSearch ({ database, userFilter, userOrder }: FastifyInstance) {
  type Row = FoundUser & { key: string }
  type Found = Selection & { isNext?: boolean }

  /**
   * A text that many accounts have is found among the next ones of the list: an index of its parts would have to find
   * all of them first. Undefined if fewer than `wanted` match. `before`: how many were found in the parts before.
   */
  async function selectNext (
    conditions: Condition[],
    part: ListPart,
    start: Start,
    { wanted, before, isLast }: { wanted: number, before: number, isLast: boolean }
  ): Promise<Found | undefined> {
    const { text, values } = userOrder.countNextQuery(part, conditions, start)
    const { rows: [row] } = await database.query<{ seen: number, found: number }>(text, values)
    if (!row || row.found < wanted) return undefined
    const count = Math.min(before + row.found, MAX_COUNT)
    const isExact = isLast && row.seen < userOrder.next && count < MAX_COUNT
    return { conditions, isNext: true, isByIds: false, count, isCountExact: isExact }
  }

  return {
    async page (
      filter: UserFilter,
      sort: AccountSort | undefined,
      limit: number,
      cursor?: string
    ): Promise<SearchPage> {
      const { match, exact } = userFilter.conditionsOf(filter)
      const all = userOrder.partsOf(sort, exact)
      const from = cursor ? readCursor(cursor, key => all.some(({ isKey }) => isKey(key))) : undefined
      const parts = from ? all.slice(all.findIndex(({ isKey }) => isKey(from.key))) : all
      const isAscending = sort !== undefined && !sort.startsWith('-')
      const rows: Row[] = []
      let found: Found | undefined

      for (const [index, part] of parts.entries()) {
        const start = { isAscending, cursor: index === 0 ? from : undefined }
        const before = rows.length
        const wanted = limit + 1 - before
        const isLast = !from && index === parts.length - 1
        if (!part.isFew && filter.q) found ??= await selectNext(match, part, start, { wanted, before, isLast })
        if (!part.isFew) found ??= await userFilter.select(filter)
        const { conditions, isNext = false, isByIds = false } = found ?? { conditions: match }
        const { text, values } = userOrder.pageQuery(part, conditions, { ...start, isNext, isByIds, limit: wanted })
        rows.push(...(await database.query<Row>(text, values)).rows)
        if (rows.length > limit) break
      }

      const { count, isCountExact } = found ?? await userFilter.select(filter)
      const last = rows[limit - 1]
      return {
        users: rows.slice(0, limit),
        next: rows.length > limit && last ? writeCursor(last) : null,
        count,
        isCountExact,
      }
    },

    async one (id: string): Promise<FoundUser | undefined> {
      const { rows } = await database.query<FoundUser>(userOrder.one, [id])
      return rows[0]
    },
  }
}

export default fp(async function (app) {
  app.decorate('userSearch', createUserSearch(app))
}, { name: 'user-search', dependencies: ['database', 'user-filter', 'user-order'] })
