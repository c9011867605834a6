import Fastify from 'fastify'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { createBackgroundWork } from '../../../src/database/background-work.ts'

t.test('work that fails in each round: one line a minute, and every round tries again', async t => {
  const log = new PassThrough()
  const app = Fastify({ logger: { stream: log } })
  t.teardown(() => app.close())
  const { start } = createBackgroundWork(app, 'mails are delayed')
  let rounds = 0
  const fail = async () => {
    rounds++
    throw new Error('no connection')
  }

  for (let round = 0; round < 3; round++) await start(fail)
  t.equal(rounds, 3)
  const lines = String(log.read()).trim().split('\n').map(line => JSON.parse(line))
  t.match(lines, [{ level: 40, msg: 'mails are delayed', err: { message: 'no connection' } }])
  t.equal(lines.length, 1)
})

t.test('closing tells long work to end, and waits for it', async t => {
  const app = Fastify()
  const { start } = createBackgroundWork(app, 'webhooks are delayed')
  let hasEnded = false
  start(async closing => {
    await once(closing, 'abort')
    hasEnded = true
  })
  await app.close()
  t.ok(hasEnded)
})
