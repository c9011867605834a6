import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { build, createDatabase, withoutRedis } from '../../support/build.ts'
import { eventually, inTime } from '../../support/patience.ts'
import { startCluster, startSentinel } from '../../support/redis-nodes.ts'

const MINUTE = 60_000
/** Enough keys to use every node of a cluster. */
const KEYS = Array.from({ length: 30 }, (_, index) => `key-${index}`)

type App = Awaited<ReturnType<typeof build>>['app']

const countAll = (app: App, prefix = '') =>
  Promise.all(KEYS.map(async key => (await app.counters.take(prefix + key, MINUTE)).count))
/** Counts in memory are there before the event loop can hear from Redis. */
const atOnce = <T>(work: Promise<T>) => Promise.race([work, setImmediate('waited')])
const health = async (app: App) => (await app.inject('/health')).json().checks.cache

t.test('Redis Cluster: shared counters; one node down, then all nodes', { skip: withoutRedis }, async t => {
  const { nodes, url } = await startCluster(t)
  const { settings } = await createDatabase(t)
  const start = async () =>
    (await build(t, { settings: { ...settings, REDIS_URL: url, REDIS_PREFIX: 'test:' } })).app
  const [one, two] = [await start(), await start()]
  const all = (count: number) => KEYS.map(() => count)

  t.strictSame(await countAll(one), all(1))
  t.strictSame(await countAll(two), all(2))
  t.equal(await health(one), 'ok')

  for (const lost of [nodes.slice(1, 2), nodes]) {
    for (const node of lost) await node.stop()
    await inTime(countAll(one, `${lost.length}-lost-`), 'the first counts')
    await eventually(() => health(one), value => value === 'error')
    t.strictSame(await atOnce(countAll(one, `${lost.length}-own-`)), all(1), 'does not wait for Redis')
    t.strictSame(await countAll(one, `${lost.length}-own-`), all(2), 'counted in memory')

    for (const node of lost) await node.start()
    for (const app of [one, two]) {
      await eventually(() => health(app), value => value === 'ok')
    }
    t.strictSame(await countAll(one, `${lost.length}-back-`), all(1))
    t.strictSame(await countAll(two, `${lost.length}-back-`), all(2), 'shared again')
  }
})

t.test('Redis Sentinel with a password: a failover is followed', { skip: withoutRedis }, async t => {
  const { master, replica, url } = await startSentinel(t)
  const { app } = await build(t, { settings: { REDIS_URL: url } })
  await eventually(() => health(app), value => value === 'ok')
  await app.counters.take('key', MINUTE)
  t.equal(app.redis.stream.remotePort, master.port)
  await eventually(() => app.redis.wait(1, 100), replicas => replicas === 1)

  await master.stop()
  await inTime(app.counters.take('lost', MINUTE), 'the first count')
  await eventually(() => health(app), value => value === 'error')
  await eventually(() => health(app), value => value === 'ok')
  t.equal(app.redis.stream.remotePort, replica.port)
  t.match(await app.counters.take('key', MINUTE), { count: 2 }, 'the counters are kept')
})
