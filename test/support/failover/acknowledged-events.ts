import type { pg } from '../build.ts'
import { isDone } from '../faults/history-analysis.ts'
import type { Exchange } from '../faults/history.ts'

/** The event that an acknowledged request leaves behind. */
function eventOf (exchange: Exchange): string | undefined {
  if (!isDone(exchange)) return undefined
  switch (exchange.what) {
    case 'login':
    case 'second-step':
      return exchange.newFamily && 'sign_in'
    case 'change': return 'password_changed'
    case 'reset': return 'password_reset'
    case 'verify': return 'email_verified'
    case 'confirm-totp': return 'totp_added'
    default: return undefined
  }
}

const RECORDED = `
  SELECT username || ' ' || what AS event, count(*)::int AS count
  FROM auth_events JOIN users ON users.id = user_id GROUP BY 1`

/** Acknowledged requests without an event. An unacknowledged one may have left one, too. */
export async function missingEvents (owner: pg.Pool, history: Exchange[]): Promise<string[]> {
  const { rows } = await owner.query<{ event: string, count: number }>(RECORDED)
  const recorded = new Map(rows.map(({ event, count }) => [event, count]))
  const expected = Object.groupBy(
    history.flatMap(exchange => {
      const event = eventOf(exchange)
      return event ? [`${exchange.person} ${event}`] : []
    }),
    event => event
  )
  return Object.entries(expected).flatMap(([event, all = []]) => {
    const found = recorded.get(event) ?? 0
    return found < all.length ? [`${event}: ${found} instead of ${all.length}`] : []
  })
}
