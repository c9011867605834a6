import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { clientGroup, isAddress } from '../../../src/edge/client-address.ts'
import { HttpError } from '../../../src/errors.ts'
import { isStoredTime, readCursor, utcTime, writeCursor } from '../../../src/operators/list-parameters.ts'
import { deviceName } from '../../../src/sessions/device-name.ts'
import { KINDS } from './events.ts'

declare module 'fastify' {
  interface FastifyInstance { eventList: ReturnType<typeof createEventList> }
}

export interface ListedEvent {
  id: string
  what: string
  userId: string | null
  username: string | null
  ip: string | null
  userAgent: string | null
  /** The user agent in words. */
  device: string | null
  /** Who made the change, if an operator did. */
  by: string | null
  /** What it concerned, if it was not an account. */
  subject: string | null
  at: Date
}

interface EventFilter {
  what?: string
  userId?: string
  /** A client. IPv6: its whole /64 network. */
  address?: string
  since?: string
  until?: string
}

const isKind = (name: string) => (KINDS as readonly string[]).includes(name)

/** There is no index of addresses, which each sign-in would have to write: the search ends after so many days. */
const ADDRESS_DAYS = 7
const DAY = 86_400_000

const networkOf = (address: string) => clientGroup(address).replace(/.*:.*/, '$&/64')

/** The times in UTC. With an address and no beginning: the last days. */
function periodOf ({ address, since, until }: EventFilter) {
  const end = until === undefined ? undefined : utcTime(until)
  const start = since ?? (address && new Date((end ? Date.parse(end) : Date.now()) - ADDRESS_DAYS * DAY).toISOString())
  return { since: start === undefined ? undefined : utcTime(start), until: end }
}

const END_OF_TIME = { key: 'infinity', id: '9223372036854775807' }

// The time keeps its microseconds as text: a Date has milliseconds only, and a cursor must name one row.
const PAGE = (conditions: string) => `
  SELECT e.id, e.what, coalesce(e.user_id, e.account_id) AS "userId", u.username, host(e.ip) AS ip,
    e.user_agent AS "userAgent", e.actor AS by, e.subject, e.created_at AS at,
    (e.created_at AT TIME ZONE 'UTC')::text || '+00' AS key
  FROM auth_events e LEFT JOIN users u ON u.id = e.user_id
  WHERE (e.created_at, e.id) < ($1::timestamptz, $2::bigint) ${conditions}
  ORDER BY e.created_at DESC, e.id DESC LIMIT $3`

const CONDITIONS: Record<keyof EventFilter, (place: string) => string> = {
  what: place => `AND e.what = ${place}`,
  userId: place => `AND e.user_id = ${place}::bigint`,
  address: place => `AND e.ip <<= ${place}::inet`,
  since: place => `AND e.created_at >= ${place}::timestamptz`,
  until: place => `AND e.created_at < ${place}::timestamptz`,
}

/** Only the conditions that are asked for, so that each query uses the index for them. */
export function eventQuery (filter: EventFilter) {
  const given = (Object.keys(CONDITIONS) as Array<keyof EventFilter>).filter(name => filter[name] !== undefined)
  return {
    text: PAGE(given.map((name, index) => CONDITIONS[name](`$${index + 4}`)).join(' ')),
    values: given.map(name => filter[name]),
  }
}

/** Events of all accounts, newest first, in pages. */
function createEventList ({ database }: FastifyInstance) {
  return {
    /** What events can have happened. */
    kinds: KINDS,

    async page (filter: EventFilter, limit: number, cursor?: string) {
      if (filter.what !== undefined && !isKind(filter.what)) {
        throw new HttpError(400, `There is no event of the name ${filter.what}. The names are in docs/events.md.`)
      }
      const { key, id } = cursor ? readCursor(cursor, isStoredTime) : END_OF_TIME
      if (filter.address !== undefined && !isAddress(filter.address)) {
        throw new HttpError(400, 'The address must be an IPv4 or IPv6 address.')
      }
      const { text, values } = eventQuery({
        ...filter,
        address: filter.address && networkOf(filter.address),
        ...periodOf(filter),
      })
      const { rows } = await database.query<ListedEvent & { key: string }>(text, [key, id, limit + 1, ...values])
      const last = rows[limit - 1]
      return {
        events: rows.slice(0, limit).map((row): ListedEvent =>
          ({ ...row, device: row.userAgent === null ? null : deviceName(row.userAgent) })),
        next: rows.length > limit && last ? writeCursor({ key: last.key, id: last.id }) : null,
      }
    },
  }
}

export default fp(async function (app) {
  app.decorate('eventList', createEventList(app))
}, { name: 'event-list', dependencies: ['database'] })
