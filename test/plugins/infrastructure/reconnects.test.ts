// A connection is lost, and the other end of its successors vanishes without a word at one step of the reconnect.
// Nothing is restarted: what is lost is named, and everything is back once the network is.
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { JOB_CHANNEL } from '../../../src/database/job-queues.ts'
import { build, createDatabase, redisUrl, withoutRedis, type pg } from '../../support/build.ts'
import { startProxy, type Proxy } from '../../support/faults/tcp-proxy.ts'
import { eventually } from '../../support/patience.ts'
import { startCluster, startSentinel } from '../../support/redis-nodes.ts'

// The tests mostly wait, so they run concurrently.
t.jobs = 7

/** What the client sends when the other end vanishes. */
const STEPS: Array<[step: string, when: RegExp]> = [
  ['the startup message', /user\0/],
  ['authentication', /^p[^]*SCRAM/],
  ['LISTEN', /LISTEN/],
  ['the first query', /pg_current_snapshot|transaction_read_only|pgboss/],
]
const ANYTHING = /(?:)/
const TERMINATE = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'gatehouse%'`

/** Through a proxy to the first of the servers, and to no other. */
async function throughProxy (t: Test, address: string) {
  const [servers = '', port] = /127\.0\.0\.1:(\d+)[^/]*/.exec(address) ?? []
  const proxy = await startProxy(t, Number(port))
  return { proxy, url: address.replace(servers, `127.0.0.1:${proxy.port}`) }
}

async function start (t: Test, when?: RegExp) {
  const { owner, settings } = await createDatabase(t)
  const { proxy, url } = await throughProxy(t, settings.DATABASE_URL)
  if (when) await proxy.set({ kind: 'vanish', when })
  const { app, log } = await build(t, { settings: { DATABASE_URL: url }, withoutJobs: true, ownTimeout: true })
  return { app, log, owner, proxy }
}

const ready = async (app: FastifyInstance) => (await app.inject('/health/ready')).json()
const vanished = (proxy: Proxy, count: number) => eventually(() => proxy.vanished, now => now >= count)

/** Everything answers, and notifications of new jobs arrive. */
async function untilBack (app: FastifyInstance, owner: pg.Pool) {
  let heard = 0
  app.revocations.onJob(() => { heard++ })
  await eventually(() => ready(app), body => body.status === 'ready' && !body.missing)
  await eventually(() => owner.query('SELECT pg_notify($1, $2)', [JOB_CHANNEL, 'mail']), () => heard > 0)
}

for (const [step, when] of STEPS) {
  t.test(`PostgreSQL vanishes at ${step}, at the start`, async t => {
    const { app, owner, proxy } = await start(t, when)
    await vanished(proxy, 2)
    await proxy.clear()
    await untilBack(app, owner)
  })

  t.test(`PostgreSQL vanishes at ${step}, in a reconnect`, async t => {
    const { app, owner, proxy } = await start(t)
    await untilBack(app, owner)
    await proxy.set({ kind: 'vanish', when })
    await owner.query(TERMINATE)
    await vanished(proxy, 2)
    await proxy.clear()
    await untilBack(app, owner)
  })
}

t.test('PostgreSQL vanishes behind connections that work', async t => {
  const { app, owner, proxy } = await start(t)
  await untilBack(app, owner)
  await proxy.set({ kind: 'vanish', when: ANYTHING })
  await vanished(proxy, 2)
  await proxy.clear()
  await untilBack(app, owner)
})

t.test('what is lost is named, and logged when it is back', async t => {
  const { app, log, owner, proxy } = await start(t)
  await untilBack(app, owner)
  await proxy.set({ kind: 'vanish', when: /gatehouse (jobs|revocations)/ })
  await owner.query(TERMINATE)
  await eventually(() => ready(app), ({ missing }) => missing?.join() === 'ended sessions,job queue')
  await proxy.clear()
  await untilBack(app, owner)
  t.match(log.text, 'the job queue cannot reach PostgreSQL')
  t.match(log.text, 'the job queue reaches PostgreSQL again')
  t.match(log.text, 'revocations can be read again')
})

const REDIS: Array<[step: string, start: (t: Test) => Promise<string>, when: RegExp]> = [
  ['Redis vanishes at the handshake', redisUrl, /info|hello|client/i],
  ['Redis vanishes at a command', redisUrl, /eval|ping/i],
  ['Sentinel vanishes', async t => (await startSentinel(t)).url, ANYTHING],
  ['A node of a Redis Cluster vanishes', async t => (await startCluster(t)).url, ANYTHING],
]

for (const [title, startServer, when] of REDIS) {
  t.test(title, { skip: withoutRedis }, async t => {
    const { proxy, url } = await throughProxy(t, await startServer(t))
    await proxy.set({ kind: 'vanish', when })
    const { app } = await build(t, { settings: { REDIS_URL: url } })
    await vanished(proxy, 2)
    await eventually(() => ready(app), ({ missing }) => missing?.join() === 'Redis')
    await proxy.clear()
    await eventually(() => ready(app), ({ missing }) => missing === undefined)
  })
}
