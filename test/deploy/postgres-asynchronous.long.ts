import t from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { startReplicatedPostgres } from '../support/failover/failover-fixture.ts'
import { withoutHaproxy } from '../support/failover/haproxy.ts'
import { createCookieClient } from '../support/faults/cookie-client.ts'
import { startCounterStore } from '../support/faults/dependencies.ts'
import { startService } from '../support/faults/service.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'
import { startSmtp } from '../support/smtp.ts'

const skip = withoutRedis || withoutHaproxy

t.test('asynchronous standby: what it had not received is lost', { skip, timeout: HANG_TIMEOUT }, async t => {
  const [database, counters, mail] = await Promise.all([
    startReplicatedPostgres(t, { synchronous: false }),
    startCounterStore(t),
    startSmtp(t),
  ])
  const { port } = await startService(t, { database, counters, mail }, {}, what => t.fail(what))
  const { username } = await createUser(database.primary.owner)
  const signedIn = async () => {
    const client = createCookieClient()
    const response = await client.send(port, { path: '/login', body: { username, password: PASSWORD } })
    t.equal(response?.status, 200)
    return client
  }
  const refresh = async (client: ReturnType<typeof createCookieClient>) =>
    (await client.send(port, { path: '/api/auth/refresh' }))?.status

  const [stayer, leaver] = [await signedIn(), await signedIn()]
  const thief = createCookieClient(new Map(leaver.cookies))
  await eventually(() => database.standby.owner.query('SELECT FROM refresh_tokens'), ({ rowCount }) => rowCount === 2)
  await database.replication.set({ kind: 'refuse' })
  const late = await signedIn()
  t.equal((await leaver.send(port, { path: '/logout' }))?.status, 204)
  await database.killPrimary()
  await database.promoteStandby()
  await eventually(() => refresh(stayer), status => status === 200)
  t.equal(await refresh(late), 401, 'the sign-in is lost')
  t.equal(await refresh(thief), 200, 'so is the sign-out: the session is alive again')
})
