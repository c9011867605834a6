// From version 0.2 to today, one instance after the other, under load: what docs/operating.md says about an upgrade.
import t from 'tap'
import { createUser, NO_LIMITS } from '../support/browser.ts'
import { createDatabase, JWT_SECRET, withoutRedis } from '../support/build.ts'
import { checkOutEarlierVersion } from '../support/deploy/earlier-version.ts'
import { startFrontEnd, withoutNginx } from '../support/deploy/front-end.ts'
import { productionSettings, replaceInstance, startInstances, type Instance } from '../support/deploy/instances.ts'
import { createLoad } from '../support/deploy/load.ts'
import { createCookieClient, type CookieClient } from '../support/faults/cookie-client.ts'
import { schemaOf } from '../support/migrations/schema-of.ts'
import { eventually, HANG_TIMEOUT } from '../support/patience.ts'
import { gatehouse } from '../support/process.ts'

const PEOPLE = 4

const post = async ({ port }: Instance, client: CookieClient, path: string, body?: object) =>
  (await client.send(port, { path, body }))?.status
const check = async ({ port }: Instance, client: CookieClient) =>
  (await client.send(port, { method: 'GET', path: '/api/auth/verify' }))?.status

t.test('version 0.2 is replaced by today under load: no request fails, all users stay signed in', {
  skip: withoutNginx || withoutRedis, timeout: HANG_TIMEOUT,
}, async t => {
  const { owner, settings } = await productionSettings(t, { empty: true })
  const env = { ...settings, ...NO_LIMITS, EMAIL_VERIFICATION: 'off' }
  const earlier = checkOutEarlierVersion(t)
  t.match(await gatehouse(['migrate'], env, { program: earlier }).ended, { code: 0 })
  const { instances, ports } = await startInstances(t, env, earlier)
  const [first, second] = instances as [Instance, Instance]
  const frontEnd = await startFrontEnd(t, { instances: ports })

  const { username, password } = await createUser(owner)
  const [idle, leaving] = [createCookieClient(), createCookieClient()]
  for (const client of [idle, leaving]) t.equal(await post(first, client, '/login', { username, password }), 200)

  const users = await Promise.all(Array.from({ length: PEOPLE }, () => createUser(owner)))
  const load = createLoad(t, frontEnd, users)
  const moreLoad = async () => {
    const before = load.count()
    await eventually(load.count, count => count > before + 50)
  }
  async function replace (instance: Instance, program?: string) {
    await replaceInstance(t, frontEnd, instance, program)
    await moreLoad()
  }

  await moreLoad()
  t.match(await gatehouse(['migrate'], env).ended, { code: 0 })
  await moreLoad()
  await replace(first)

  const visitor = createCookieClient()
  t.equal(await post(first, visitor, '/login', { username, password }), 200)
  for (const [one, other] of [[second, first], [first, second]] as const) {
    t.equal(await post(one, visitor, '/api/auth/refresh'), 200)
    t.equal(await check(other, visitor), 204, 'each version accepts the tokens of the other')
  }
  t.equal(await post(first, createCookieClient(new Map(leaving.cookies)), '/logout'), 204)
  await eventually(() => check(second, leaving), status => status === 401)

  await replace(second)
  await replace(second, earlier)
  t.equal(await post(second, visitor, '/api/auth/refresh'), 200, 'back to version 0.2')
  await replace(second)
  await load.stop()

  t.comment(JSON.stringify(load.tally()))
  t.strictSame(load.failures, [])
  t.strictSame(await load.whoIsSignedOut(), [])
  t.equal(await check(second, idle), 204)
  t.equal(await post(second, idle, '/api/auth/refresh'), 200, 'signed in with version 0.2, not seen since')
})

t.test('a database of version 0.2 has the same schema after the migration as a new one', async t => {
  const [upgraded, created] = [await createDatabase(t, { empty: true }), await createDatabase(t)]
  const env = { ...upgraded.settings, JWT_SECRET }
  for (const program of [checkOutEarlierVersion(t), undefined]) {
    t.match(await gatehouse(['migrate'], env, { program }).ended, { code: 0 })
  }
  const schema = await schemaOf(created.owner)
  t.ok(schema.length > 400)
  t.strictSame(await schemaOf(upgraded.owner), schema)
})
