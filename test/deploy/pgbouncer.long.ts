// Debian 12's PgBouncer (1.18) in transaction mode, which supports neither prepared statements nor LISTEN.
import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startPgbouncer, withoutPgbouncer } from '../support/failover/pgbouncer.ts'
import { startTraffic } from '../support/failover/under-traffic.ts'
import { createCookieClient } from '../support/faults/cookie-client.ts'
import { startDependencies, type Teardown } from '../support/faults/dependencies.ts'
import { startService } from '../support/faults/service.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'

const skip = withoutRedis || withoutPgbouncer

async function startPooled (t: Teardown) {
  const { database, counters, mail } = await startDependencies(t)
  const { port } = await startPgbouncer(t, database.port)
  return { counters, mail, database: { ...database, port } }
}

t.test('DATABASE_PREPARE=off: everything works, mails and revocations arrive', {
  skip, timeout: HANG_TIMEOUT,
}, async t => {
  const parts = await startPooled(t)
  const { owner } = parts.database
  const traffic = await startTraffic(t, { name: 'pgbouncer', parts, owner, settings: { DATABASE_PREPARE: 'off' } })
  await eventually(traffic.successes, count => count > 200, 60_000)
  await traffic.check(t, owner)
})

t.test('DATABASE_PREPARE=on: it does not work', { skip, timeout: HANG_TIMEOUT }, async t => {
  const parts = await startPooled(t)
  const { port } = await startService(t, parts, {}, what => t.fail(what))
  const { username } = await createUser(parts.database.owner)
  const login = await createCookieClient().send(port, { path: '/login', body: { username, password: PASSWORD } })
  t.equal(login?.status, 503)
})
