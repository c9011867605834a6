import { createHmac, randomUUID } from 'node:crypto'
import Postgrator from 'postgrator'
import t from 'tap'
import { migrate } from '../../src/database/migrate.ts'
import { digest } from '../../src/secrets/digest.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build, createDatabase, JWT_SECRET, pg, secrets } from '../support/build.ts'

const DAY = 24 * 60 * 60

/** As before this migration: access tokens say neither when nor how the user signed in. */
function sign (claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  const token = `${content}.${createHmac('sha256', JWT_SECRET).update(content).digest('base64url')}`
  secrets.add(token)
  return token
}

t.test('accounts and sessions from before the upgrade go on', async t => {
  const { owner, settings } = await createDatabase(t, { empty: true })
  const client = new pg.Client({ connectionString: settings.MIGRATION_DATABASE_URL })
  await client.connect()
  const files = { driver: 'pg', schemaTable: 'schema_migrations', migrationPattern: 'migrations/*.sql' } as const
  await new Postgrator({ ...files, execQuery: query => client.query(query) }).migrate('8')
  await client.end()

  const user = await createUser(owner)
  const now = Math.floor(Date.now() / 1_000)
  const sid = randomUUID()
  const claims = { userId: user.id, username: user.username, iat: now, jti: randomUUID(), sid }
  const access = sign({ ...claims, exp: now + 900, use: 'access' })
  const refresh = sign({ ...claims, exp: now + 30 * DAY, use: 'refresh', auth_time: now - DAY, gen: 3 })
  await owner.query(
    `INSERT INTO refresh_tokens (id, user_id, token, issued_at, expires_at, signed_in_at, generation)
     VALUES ($1, $2, $3, to_timestamp($4), to_timestamp($5), to_timestamp($6), 3)`,
    [sid, user.id, digest(refresh), now, now + 30 * DAY, now - DAY]
  )
  await migrate(settings)
  const { app } = await build(t, { settings: { ...NO_LIMITS, ...settings } })
  const browser = createBrowser(app)
  browser.cookies.set('access_token', access)
  browser.cookies.set('refresh_token', refresh)

  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
  const stale = await browser.guarded('POST', '/api/auth/factors/totp')
  t.match(stale.json(), { error: 'Confirm it is you', methods: ['password'] })
  t.equal((await browser.refresh()).statusCode, 200)
  t.equal((await browser.guarded('POST', '/api/auth/factors/totp')).statusCode, 403, 'a refresh is no proof')
  t.equal((await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode, 204)
  const { secret } = (await browser.guarded('POST', '/api/auth/factors/totp')).json()
  secrets.add(secret)
  t.match(secret, /^[A-Z2-7]{32}$/)
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200, 'no second factor yet')
})
