import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createUser, NO_LIMITS } from '../support/browser.ts'
import { withoutRedis } from '../support/build.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, replaceInstance, startInstances } from '../support/deploy/instances.ts'
import { createLoad } from '../support/deploy/load.ts'

const skip = withoutNginx || withoutRedis
const RESTARTS = 10
const PEOPLE = 4

async function startFleet (t: Test) {
  const { owner, settings } = await productionSettings(t)
  const { instances, ports } = await startInstances(t, { ...settings, ...NO_LIMITS, EMAIL_VERIFICATION: 'off' })
  const frontEnd = await startFrontEnd(t, { instances: ports })
  const users = await Promise.all(Array.from({ length: PEOPLE }, () => createUser(owner)))
  return { instances, frontEnd, load: createLoad(t, frontEnd, users) }
}

t.test(`${RESTARTS} rolling restarts under load: no request fails`, { skip, timeout: HANG_TIMEOUT }, async t => {
  const { instances, frontEnd, load } = await startFleet(t)
  await eventually(load.count, count => count > 40)
  for (let restart = 0; restart < RESTARTS; restart++) {
    for (const instance of instances) {
      const before = load.count()
      await replaceInstance(t, frontEnd, instance)
      t.ok(load.count() > before, 'requests continued meanwhile')
    }
  }
  await load.stop()
  t.comment(JSON.stringify(load.tally()))
  t.strictSame(load.failures, [])
  for (const instance of instances) await instance.stop()
  const refusals = instances.reduce((sum, each) => sum + each.refusals(), 0)
  t.equal(load.refusals(), refusals, 'instances refused only what they could not do in time')
  for (const [what, count] of Object.entries(load.tally())) t.ok(count > RESTARTS, `${what}: ${count}`)
})

t.test('instance killed under load: idempotent requests succeed', { skip, timeout: HANG_TIMEOUT }, async t => {
  const { instances, load } = await startFleet(t)
  await eventually(load.count, count => count > 40)
  for (const instance of instances) {
    await instance.stop('SIGKILL')
    await sleep(2_000)
    await instance.start()
    await sleep(2_000)
  }
  await load.stop()
  t.comment(JSON.stringify({ ...load.tally(), failures: load.failures }))
  t.strictSame(
    load.failures.filter(({ what }) => ['access', 'health'].includes(what)),
    [],
    'no access check and no health check failed'
  )
  t.ok(
    load.failures.every(({ status }) => status === 503),
    'cut requests got an error response'
  )
  t.strictSame(await load.whoIsSignedOut(), [])
})
