import type { Test } from 'tap'
import type { pg } from '../build.ts'
import { eventually } from '../patience.ts'

/** Reads beyond those of the polls, of which there is one a second. */
const NOTIFIED = 10
const EVERY_INSTANCE_READ = `
  SELECT bool_and(query_start > $1::timestamptz) AS done FROM pg_stat_activity
  WHERE application_name = 'gatehouse revocations'`

/** Each notification of an ended session leads to a read by every instance. */
export async function checkNotifications (t: Test, owner: pg.Pool) {
  const began = performance.now()
  let reads = 0
  async function notify () {
    const { rows: [{ now }] } = await owner.query('SELECT clock_timestamp()::text AS now')
    await owner.query("SELECT pg_notify('gatehouse_revocations', '')")
    await eventually(async () => (await owner.query(EVERY_INSTANCE_READ, [now])).rows[0].done, Boolean)
    return ++reads - (performance.now() - began) / 1_000
  }
  await eventually(notify, ahead => ahead >= NOTIFIED)
  t.pass('instances listen for ended sessions')
}
