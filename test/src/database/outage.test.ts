import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { inTime, READ_TIMEOUT } from '../../../src/database/outage.ts'
import { Unavailable } from '../../../src/errors.ts'
import { buildShared } from '../../support/build.ts'

function keepBusy (ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

t.test('inTime: a response that arrived while the event loop was busy is in time', async t => {
  const { app } = await buildShared(t)
  // Else the connection may not stand yet, and the query would not be sent before the event loop is busy.
  await app.database.query('SELECT')
  const reading = inTime(app.database.query('SELECT pg_sleep(0.3)'))
  await sleep(100)
  // From here, timers come before responses.
  await setImmediate()
  keepBusy(READ_TIMEOUT + 200)
  t.equal((await reading).rowCount, 1)
})

t.test('inTime: no response (503)', async t => {
  const { app } = await buildShared(t)
  await t.rejects(inTime(app.database.query(`SELECT pg_sleep(${(READ_TIMEOUT + 500) / 1_000})`)), Unavailable)
})
