import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { SEARCHED_TEXT, SEARCHED_TRIGRAMS } from '../../../src/database/large-tables.ts'

declare module 'fastify' {
  interface FastifyInstance { userFilter: ReturnType<typeof createUserFilter> }
}

export interface UserFilter {
  /**
   * Any part of the username, the name or the email, or the whole external id. One or two characters: how the username
   * or email begins.
   */
  q?: string
  externalId?: string
  state?: 'active' | 'disabled'
  confirmed?: 'yes' | 'no'
  factors?: 'none' | 'any' | 'totp' | 'passkey'
}

/** Adds a value to a query. Returns its placeholder. */
export type Place = (value: unknown) => string
/** A condition on `users u`. */
export type Condition = (place: Place) => string

/** The accounts that a filter lets through, and how many they are. */
export interface Selection {
  conditions: Condition[]
  isByIds: boolean
  count: number
  isCountExact: boolean
}

/** Counting stops here, so that it takes no longer with a million accounts. */
export const MAX_COUNT = 1_000
/** No index has the factors in the order of a list: up to so many accounts are found by them, and then sorted. */
const MAX_WITH_FACTORS = 5_000
/** A shorter text has no trigram. */
export const TRIGRAM = 3

const USERNAME = 'lower(u.username) COLLATE "C"'
const EMAIL = 'lower(u.email) COLLATE "C"'
const HAS_TOTP = 'EXISTS (SELECT FROM totp WHERE totp.user_id = u.id AND totp.confirmed_at IS NOT NULL)'
const HAS_PASSKEY = 'EXISTS (SELECT FROM passkeys WHERE passkeys.user_id = u.id)'

const STATES = { active: 'u.disabled_at IS NULL', disabled: 'u.disabled_at IS NOT NULL' }
const CONFIRMED = { yes: 'u.email_verified_at IS NOT NULL', no: 'u.email_verified_at IS NULL' }
const FACTORS = {
  none: `NOT (${HAS_TOTP} OR ${HAS_PASSKEY})`,
  // Unlike two conditions with OR, this can also begin with the factors, if few accounts have one.
  any: 'u.id IN (SELECT user_id FROM totp WHERE confirmed_at IS NOT NULL UNION SELECT user_id FROM passkeys)',
  totp: HAS_TOTP,
  passkey: HAS_PASSKEY,
}

/** In the collation C, the texts that begin with another one are a range. */
const begins = (q: string): Condition => place => {
  const [low, high] = [`lower(${place(q)})`, `lower(${place(q)}) || chr(1114111)`]
  return `(${USERNAME} >= ${low} AND ${USERNAME} < ${high} OR ${EMAIL} >= ${low} AND ${EMAIL} < ${high})`
}
export const contains = (q: string): Condition => place =>
  `${SEARCHED_TEXT} LIKE lower(${place(`%${q.replace(/[\\%_]/g, '\\$&')}%`)})`
const hasTrigrams = (q: string): Condition => place => `${SEARCHED_TRIGRAMS} @> trigrams(lower(${place(q)}))`
const hasExternalId = (id: string): Condition => place => `u.external_id = ${place(id)}`
const isExactly = (q: string): Condition => place =>
  `(${USERNAME} = lower(${place(q)}) OR ${EMAIL} = lower(${place(q)}) OR ${hasExternalId(q)(place)})`
const both = (one: Condition, other: Condition): Condition => place => `${one(place)} AND ${other(place)}`
const either = (one: Condition, other: Condition): Condition => place => `(${one(place)} OR ${other(place)})`

/** `find`: also the condition by which an index finds the accounts. */
function conditionsOf (filter: UserFilter): Record<'match' | 'find', Condition[]> {
  const { q, externalId, state, confirmed, factors } = filter
  const filters = [state && STATES[state], confirmed && CONFIRMED[confirmed], factors && FACTORS[factors]]
    .filter(sql => sql !== undefined)
    .map((sql): Condition => () => sql)
  if (externalId) filters.push(hasExternalId(externalId))
  if (!q) return { match: filters, find: filters }
  const match = [either([...q].length < TRIGRAM ? begins(q) : contains(q), hasExternalId(q)), ...filters]
  if ([...q].length < TRIGRAM) return { match, find: match }
  return { match, find: [either(both(hasTrigrams(q), contains(q)), hasExternalId(q)), ...filters] }
}

const mostFound = ({ q, factors = 'none' }: UserFilter) => q || factors === 'none' ? MAX_COUNT : MAX_WITH_FACTORS

/** The ids of the accounts, and one more than are wanted if there are more. */
export function findQuery (filter: UserFilter) {
  const values: unknown[] = []
  const all = conditionsOf(filter).find.map(condition => condition(value => `$${values.push(value)}`))
  const where = ['true', ...all].join(' AND ')
  return { text: `SELECT u.id FROM users u WHERE ${where} LIMIT ${mostFound(filter) + 1}`, values }
}

function createUserFilter ({ database }: FastifyInstance) {
  return {
    /** For accounts that are read in an order. `exact`: whose username or email is the text that was searched for. */
    conditionsOf: (filter: UserFilter) =>
      ({ match: conditionsOf(filter).match, exact: filter.q ? isExactly(filter.q) : undefined }),

    /** Few accounts are selected by their ids, so that sorting them takes no time. */
    async select (filter: UserFilter): Promise<Selection> {
      const { find } = conditionsOf(filter)
      const { text, values } = findQuery(filter)
      const { rows } = await database.query<{ id: string }>(text, values)
      const isByIds = find.length > 0 && rows.length <= mostFound(filter)
      const ids: Condition = place => `u.id = ANY (${place(rows.map(({ id }) => id))}::bigint[])`
      return {
        conditions: isByIds ? [ids] : find,
        isByIds,
        count: Math.min(rows.length, MAX_COUNT),
        isCountExact: rows.length <= MAX_COUNT,
      }
    },
  }
}

export default fp(async function (app) {
  app.decorate('userFilter', createUserFilter(app))
}, { name: 'user-filter', dependencies: ['database'] })
