import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Condition, UserFilter } from './user-filter.ts'

declare module 'fastify' {
  interface FastifyInstance { userIds: ReturnType<typeof createUserIds> }
}

const PAGE_SIZE = 10_000

function idsQuery (conditions: Condition[], more: (place: (value: unknown) => string) => string) {
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const all = [...conditions.map(condition => condition(place)), more(place)]
  return { text: `SELECT u.id FROM users u WHERE ${all.join(' AND ')} ORDER BY u.id LIMIT ${PAGE_SIZE + 1}`, values }
}

/** Which accounts a filter lets through, by their ids alone. */
function createUserIds ({ database, userFilter }: FastifyInstance) {
  return {
    /** In the order of the ids, so that accounts that are added or change meanwhile move none to another page. */
    async page (filter: UserFilter, after = '0'): Promise<{ ids: string[], next: string | null }> {
      const { conditions } = await userFilter.select(filter)
      const { text, values } = idsQuery(conditions, place => `u.id > ${place(after)}::bigint`)
      const { rows } = await database.query<{ id: string }>(text, values)
      const ids = rows.slice(0, PAGE_SIZE).map(({ id }) => id)
      return { ids, next: rows.length > PAGE_SIZE ? ids.at(-1) ?? null : null }
    },

    /** Which of these accounts, at most 10,000, the filter still lets through. */
    async matching (filter: UserFilter, ids: string[]): Promise<Set<string>> {
      const { match } = userFilter.conditionsOf(filter)
      const { text, values } = idsQuery(match, place => `u.id = ANY (${place(ids)}::bigint[])`)
      const { rows } = await database.query<{ id: string }>(text, values)
      return new Set(rows.map(({ id }) => id))
    },
  }
}

export default fp(async function (app) {
  app.decorate('userIds', createUserIds(app))
}, { name: 'user-ids', dependencies: ['database', 'user-filter'] })
