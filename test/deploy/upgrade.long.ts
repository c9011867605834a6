// From version 0.1 to today on one database, with users signed in: what docs/operating.md says about migration 6.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { createDatabase, JWT_SECRET, redisUrl, withoutRedis } from '../support/build.ts'
import { checkOutEarlierVersion } from '../support/deploy/earlier-version.ts'
import { createCookieClient, type CookieClient } from '../support/faults/cookie-client.ts'
import { eventually } from '../support/patience.ts'
import { gatehouse } from '../support/process.ts'

t.test('version 0.1 and today on one database, before and after the migration', {
  skip: withoutRedis, timeout: 200_000,
}, async t => {
  const { owner, settings } = await createDatabase(t, { empty: true })
  const earlier = checkOutEarlierVersion(t)
  const env: Record<string, string> = {
    ...settings,
    ...NO_LIMITS,
    NODE_ENV: 'test',
    JWT_SECRET,
    BCRYPT_COST: '10',
    REDIS_URL: await redisUrl(t),
    REDIS_PREFIX: `test:${randomBytes(8).toString('hex')}:`,
    PUBLIC_URL: 'http://gatehouse.test',
    TRUST_PROXY: '127.0.0.1',
    DRAIN_SECONDS: '0',
  }
  async function serve (program?: string) {
    const port = await freePort()
    const { child, until, ended } = gatehouse(['serve'], { ...env, PORT: String(port) }, { program })
    t.teardown(async () => {
      child.kill('SIGKILL')
      await ended
    })
    await until(/Server listening/)
    return port
  }
  const post = async (port: number, client: CookieClient, path: string, body?: object) => {
    const response = await client.send(port, { path, body })
    return { status: response?.status, retryAfter: response?.headers['retry-after'] }
  }
  const check = async (port: number, client: CookieClient) =>
    (await client.send(port, { method: 'GET', path: '/api/auth/verify' }))?.status
  const copyOf = ({ cookies }: CookieClient) => createCookieClient(new Map(cookies))

  t.match(await gatehouse(['migrate'], env, { program: earlier }).ended, { code: 0 })
  const { username } = await createUser(owner)
  const login = { username, password: PASSWORD }
  const oldPort = await serve(earlier)
  const users = [createCookieClient(), createCookieClient(), createCookieClient()] as const
  for (const user of users) t.match(await post(oldPort, user, '/login', login), { status: 200 })
  t.match(await post(oldPort, users[0], '/api/auth/refresh'), { status: 200 })

  async function failsOn (port: number, what: string) {
    const [user] = users
    for (const [path, body, client] of [
      ['/login', login, createCookieClient()],
      ['/api/auth/refresh', undefined, copyOf(user)],
      ['/logout', undefined, copyOf(user)],
    ] as const) t.match(await post(port, client, path, body), { status: 503, retryAfter: /^\d+$/ }, `${what}: ${path}`)
    t.equal(await check(port, user), 204, `${what}: access checks continue`)
  }

  await failsOn(await serve(), 'today before the migration')
  t.match(await post(oldPort, users[1], '/api/auth/refresh'), { status: 200 }, 'version 0.1 does not notice')

  t.match(await gatehouse(['migrate'], env).ended, { code: 0 })
  await failsOn(oldPort, 'version 0.1 after the migration')
  const newPort = await serve()
  for (const user of users) {
    t.equal(await check(newPort, user), 204)
    t.match(await post(newPort, user, '/api/auth/refresh'), { status: 200 }, 'all users are still signed in')
    t.equal(await check(oldPort, user), 204, 'version 0.1 accepts the new access token')
  }
  t.match(await post(newPort, createCookieClient(), '/login', login), { status: 200 })
  t.match(await post(newPort, copyOf(users[2]), '/logout'), { status: 204 })
  await eventually(() => check(newPort, users[2]), status => status === 401, 5_000)
  t.equal(await check(oldPort, users[2]), 204, 'version 0.1 knows nothing of ended sessions until the token expires')

  const doctor = await gatehouse(['doctor'], env, { program: earlier }).ended
  t.match(doctor.stdout, /newer/, 'its doctor says that the tables are newer')
})
