import { setImmediate } from 'node:timers/promises'
import root from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { build, redisUrl, startRedis, withoutRedis } from '../../support/build.ts'
import { eventually, inTime } from '../../support/patience.ts'

const MINUTE = 60_000

root.test('two instances share the counters', { skip: withoutRedis }, async t => {
  const settings = { REDIS_URL: await redisUrl(t), REDIS_PREFIX: `test:${process.pid}:together:` }
  const one = await build(t, { settings })
  const two = await build(t, { settings })
  await one.app.counters.take('key', MINUTE)
  t.match(await two.app.counters.take('key', MINUTE), { count: 2 })
})

root.test('Redis down at the start: counts in memory, then in Redis', { skip: withoutRedis }, async t => {
  const port = await freePort()
  const { app, log } = await build(t, { settings: { REDIS_URL: `redis://127.0.0.1:${port}` } })
  t.notOk(app.hasDecorator('redis'), '@fastify/redis needs a client that is ready')
  t.match(await app.counters.take('early', MINUTE), { count: 1 })
  t.match(await app.counters.take('early', MINUTE), { count: 2 })

  await startRedis(t, port)
  await eventually(() => log.text, text => text.includes('Redis responds again'))
  t.match(await app.counters.take('early', MINUTE), { count: 1 }, 'a separate count')
})

const start = async () => {
  const redis = await startRedis(root)
  return { redis, ...await build(root, { settings: { REDIS_URL: redis.url } }) }
}
let shared: ReturnType<typeof start> | undefined

// The one that is stopped is the last, because another takes its place.
for (const [what, break_, mend] of [
  ['frozen', 'SIGSTOP', 'SIGCONT'],
  ['stopped', 'SIGKILL', undefined],
] as const) {
  root.test(`Redis ${what}: counts in memory without delay, then in Redis again`, { skip: withoutRedis }, async t => {
    const { redis, app, log } = await (shared ??= start())
    const { counters } = app
    const begin = log.text.length
    t.match(await counters.take(what, MINUTE), { count: 1 })

    redis.signal(break_)
    t.match(await inTime(counters.take(what, MINUTE), 'the first count'), { count: 1 }, 'a separate count')
    // Counts in memory are there before the event loop can hear from Redis.
    const others = Promise.all(Array.from({ length: 49 }, () => counters.take(what, MINUTE)))
    const counted = await Promise.race([others, setImmediate([])])
    t.strictSame(counted.map(({ count }) => count), Array.from({ length: 49 }, (_, index) => index + 2), 'at once')

    if (mend) redis.signal(mend)
    else await startRedis(t, redis.port)
    await eventually(() => log.text.slice(begin), text => text.includes('Redis responds again'))
    t.match(await counters.take(`${what} fresh`, MINUTE), { count: 1 })
    t.match(await app.redis.keys(`*${what} fresh`), [/fresh$/])
  })
}
