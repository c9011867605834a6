import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { pg } from '../build.ts'
import { isLate } from '../patience.ts'

/** Polls alone, one a second, would take twice the time for as many reads. */
const NOTIFICATIONS = 20
const TIMEOUT = 10_000
const EVERY_INSTANCE_READ = `
  SELECT bool_and(query_start > $1::timestamptz) AS done FROM pg_stat_activity
  WHERE application_name = 'gatehouse revocations'`

/** Each notification of an ended session leads to a read by every instance. */
export async function checkNotifications (t: Test, owner: pg.Pool) {
  const began = performance.now()
  const isOver = () => isLate(performance.now() - began, TIMEOUT)
  let arrived = 0
  while (arrived < NOTIFICATIONS && !isOver()) {
    const { rows: [{ now }] } = await owner.query('SELECT clock_timestamp()::text AS now')
    await owner.query("SELECT pg_notify('gatehouse_revocations', '')")
    while (!(await owner.query(EVERY_INSTANCE_READ, [now])).rows[0].done && !isOver()) await sleep(10)
    arrived++
  }
  t.equal(arrived, NOTIFICATIONS, 'instances listen for ended sessions')
}
