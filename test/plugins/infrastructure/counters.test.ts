import t from 'tap'
import { build, redisUrl, startRedis, withoutRedis } from '../../support/build.ts'
import { eventually } from '../../support/process.ts'

const MINUTE = 60_000

t.test('two instances share the counters', { skip: withoutRedis }, async t => {
  const settings = { REDIS_URL: await redisUrl(t), REDIS_PREFIX: `test:${process.pid}:together:` }
  const one = await build(t, { settings })
  const two = await build(t, { settings })
  await one.app.counters.take('key', MINUTE)
  t.match(await two.app.counters.take('key', MINUTE), { count: 2 })
})

for (const [what, break_, mend] of [
  ['stopped', 'SIGKILL', undefined],
  ['frozen', 'SIGSTOP', 'SIGCONT'],
] as const) {
  t.test(`Redis ${what}: counts in memory without delay, then in Redis again`, { skip: withoutRedis }, async t => {
    const redis = await startRedis(t)
    const { app, log } = await build(t, { settings: { REDIS_URL: redis.url } })
    const { counters } = app
    t.match(await counters.take('key', MINUTE), { count: 1 })

    redis.signal(break_)
    const firstAt = performance.now()
    t.match(await counters.take('key', MINUTE), { count: 1 }, 'a separate count')
    t.ok(performance.now() - firstAt < 10_000, 'the first waits for one timeout at most')
    const nextAt = performance.now()
    for (let count = 2; count <= 50; count++) t.match(await counters.take('key', MINUTE), { count })
    t.ok(performance.now() - nextAt < 10_000, 'the others do not wait: a timeout for each would be 49 s')

    if (mend) redis.signal(mend)
    else await startRedis(t, redis.port)
    await eventually(
      () => log.text,
      text => text.includes('Redis responds again'),
      2_000
    )
    t.match(await counters.take('fresh', MINUTE), { count: 1 })
    t.match(await app.redis.keys('*fresh'), [/fresh$/])
  })
}
