import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../../support/browser.ts'
import { build, pg, SERVICE_PASSWORD, startOwnPostgres, TEMPLATE } from '../../../support/build.ts'
import { eventually } from '../../../support/patience.ts'
import { OWNER_PASSWORD } from '../../../support/stack.ts'

const SESSIONS = 20
const REFRESHES = 20

interface Updates { updates: number, hot: number }

async function updatesOf (owner: pg.Pool): Promise<Updates> {
  const { rows } = await owner.query(`
    SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot
    FROM pg_stat_user_tables WHERE relname = 'refresh_tokens'`)
  return rows[0]
}

/** A server of its own: PostgreSQL reuses no space while a transaction is open, in whichever of its databases. */
async function setUp (t: Test) {
  const postgres = await startOwnPostgres(t)
  const owner = new pg.Pool({ connectionString: postgres.url('postgres', OWNER_PASSWORD, TEMPLATE) })
  owner.on('error', () => {})
  t.teardown(() => owner.end())
  const DATABASE_URL = postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE)
  const { app } = await build(t, { settings: { ...NO_LIMITS, DATABASE_URL } })
  return { app, owner }
}

t.test('a refresh updates one row in place: no index is touched and the table does not grow', async t => {
  const { app, owner } = await setUp(t)
  const user = await createUser(owner)
  const browsers = Array.from({ length: SESSIONS }, () => createBrowser(app))
  for (const browser of browsers) t.equal((await browser.signIn(user.username)).statusCode, 200)
  for (let count = 0; count < REFRESHES; count++) {
    for (const browser of browsers) t.equal((await browser.refresh()).statusCode, 200)
  }

  // PostgreSQL counts what a connection did when it ends, or after ten seconds.
  await app.close()
  const { updates, hot } = await eventually(() => updatesOf(owner), ({ updates }) => updates === SESSIONS * REFRESHES)
  // With an index on a changed column, none would be HOT. At midnight `purge_on` changes once for each session.
  t.ok(hot >= updates * 0.9, `${hot} of ${updates} updates were HOT`)
  const { rows } = await owner.query(`
    SELECT count(*)::int AS sessions, min(generation) AS least, max(generation) AS most FROM refresh_tokens`)
  t.strictSame(rows, [{ sessions: SESSIONS, least: REFRESHES, most: REFRESHES }])
})
