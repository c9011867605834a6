import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import root from 'tap'
import { createUser } from '../../support/browser.ts'
import { build, createDatabase, startRedis, withoutRedis } from '../../support/build.ts'
import { eventually, inTime } from '../../support/patience.ts'

const health = async (app: FastifyInstance) => (await app.inject('/health')).json().checks.cache

const guess = (app: FastifyInstance, username: string, remoteAddress: string) =>
  app.inject({ method: 'POST', url: '/login', payload: { username, password: 'wrong' }, remoteAddress })

async function startTwo () {
  const redis = await startRedis(root)
  const database = await createDatabase(root)
  const start = async () =>
    (
      await build(root, {
        settings: {
          ...database.settings,
          REDIS_URL: redis.url,
          REDIS_PREFIX: 'flood:',
          LIMIT_ACCOUNT_MAX: '1000',
        },
      })
    ).app
  return { redis, owner: database.owner, apps: [await start(), await start()] as const }
}
let shared: ReturnType<typeof startTwo> | undefined

// The one that is killed is the last, because another takes its place.
for (const [what, break_, mend, address, nextAddress] of [
  ['frozen', 'SIGSTOP', 'SIGCONT', '192.0.2.1', '192.0.2.2'],
  ['killed', 'SIGKILL', undefined, '192.0.2.3', '192.0.2.4'],
] as const) {
  root.test(`POST /login: Redis ${what} during a flood, limits hold (429)`, { skip: withoutRedis }, async t => {
    const { redis, owner, apps } = await (shared ??= startTwo())
    const { username } = await createUser(owner)

    const guessed: [number, number] = [0, 0]
    const statuses = new Set<number>()
    const flooding = new AbortController()
    async function flood (index: 0 | 1) {
      while (!flooding.signal.aborted) {
        const { statusCode } = await inTime(guess(apps[index], username, address), 'a guess')
        statuses.add(statusCode)
        if (statusCode === 401) guessed[index]++
        await sleep(20)
      }
    }
    const floods = Array.from({ length: 8 }, (_, each) => flood((each % 2) as 0 | 1))
    await eventually(() => guessed[0] + guessed[1], sum => sum === 5)
    await sleep(300)
    t.equal(guessed[0] + guessed[1], 5, 'five for both instances')

    redis.signal(break_)
    await eventually(() => guessed[0] + guessed[1], sum => sum === 10)
    await sleep(500)
    for (const app of apps) {
      await eventually(() => health(app), value => value === 'error')
    }
    flooding.abort()
    await Promise.all(floods)
    t.strictSame([...statuses].sort(), [401, 429])
    t.equal(guessed[0] + guessed[1], 10, 'five for each instance, with those before')
    t.ok(
      guessed.every(count => count === 5),
      `${guessed}`
    )

    if (mend) redis.signal(mend)
    else await startRedis(t, redis.port)
    for (const app of apps) {
      await eventually(() => health(app), value => value === 'ok')
    }
    for (const index of [0, 1, 0, 1, 0] as const) {
      t.equal((await guess(apps[index], username, nextAddress)).statusCode, 401)
    }
    for (const app of apps) t.equal((await guess(app, username, nextAddress)).statusCode, 429, 'counted together')
  })
}
