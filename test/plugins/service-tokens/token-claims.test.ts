// The data of accounts in service tokens and access checks. For ID tokens: test/routes/oidc/token-claims.test.ts.
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../../support/browser.ts'
import {
  build, createDatabase, pg, SERVICE_PASSWORD, startOwnPostgres, TEMPLATE,
} from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { OWNER_PASSWORD } from '../../support/stack.ts'

const SETTINGS = { ...NO_LIMITS, TOKEN_AUDIENCES: 'orders', TOKEN_CLAIMS: 'roles,tenant,toString' }
const DATA = { roles: ['editor', 'Größe 🙂'], tenant: { id: 7 }, private: 'no', iss: 'https://evil.example' }
const CLAIMS = { roles: ['editor', 'Größe 🙂'], tenant: { id: 7 } }

type Service = Awaited<ReturnType<typeof build>>

const claimsIn = (header: unknown) => JSON.parse(Buffer.from(String(header), 'base64url').toString())

/** What an access check says, at an instance. */
async function check ({ app }: Service, browser: Browser, query = '') {
  const cookies = { access_token: browser.cookies.get('access_token') as string }
  const { statusCode, headers } = await app.inject({ url: `/api/auth/verify${query}`, cookies })
  return { statusCode, headers, claims: headers['x-auth-claims'] && claimsIn(headers['x-auth-claims']) }
}

async function write ({ app }: Service, id: string, data: object) {
  const user = await app.users.findById(id)
  await app.changeAccount(user!, { data: { ...data } }, 'key test')
}

async function startTwo (t: Test) {
  const { owner, settings } = await createDatabase(t)
  const [one, other] = [
    await build(t, { settings: { ...SETTINGS, ...settings } }),
    await build(t, { settings: { ...SETTINGS, ...settings } }),
  ]
  const user = await createUser(owner)
  const browser = createBrowser(one.app)
  await browser.signIn(user.username)
  return { owner, one, other, user, browser }
}

t.test('a change at one instance reaches the access checks and tokens of the other', async t => {
  const { owner, one, other, user, browser } = await startTwo(t)
  for (const each of [one, other]) {
    t.match(await check(each, browser), { statusCode: 204, claims: {}, headers: { 'x-auth-claims': 'e30' } })
  }
  const seen = async (each: Service, claims: object) => {
    const text = JSON.stringify(claims)
    await eventually(() => check(each, browser), answer => JSON.stringify(answer.claims) === text)
  }
  await write(one, user.id, DATA)
  for (const each of [one, other]) {
    await seen(each, CLAIMS)
    t.match((await check(each, browser)).headers['x-auth-claims'], /^[\w-]+$/)
  }

  const next = { roles: [] }
  await write(other, user.id, next)
  for (const each of [other, one]) await seen(each, next)
  // Whatever writes it, also without the service.
  await owner.query("UPDATE account_data SET data = '{\"tenant\":null}'")
  for (const each of [one, other]) await seen(each, { tenant: null })
  await owner.query('DELETE FROM account_data')
  for (const each of [one, other]) await seen(each, {})

  await write(one, user.id, DATA)
  await browser.post('/logout')
  for (const each of [one, other]) {
    await eventually(() => check(each, browser), ({ statusCode }) => statusCode === 401)
  }
  t.notOk('x-auth-claims' in (await check(other, browser)).headers)
})

t.test('a change while an instance has lost the feed', async t => {
  const { owner, one, user, browser } = await startTwo(t)
  t.strictSame((await check(one, browser)).claims, {})
  await owner.query(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'gatehouse revocations' AND datname = current_database();
    INSERT INTO account_data (user_id, data) VALUES (${user.id}, '{"roles":["editor"]}')`)
  await eventually(() => check(one, browser), ({ claims }) => claims?.roles?.length === 1)
})

t.test('service tokens: the named members, at once, and never instead of a claim of ours', async t => {
  const { owner, settings } = await createDatabase(t)
  const service = await build(t, { settings: { ...SETTINGS, ...settings } })
  const { app } = service
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const tokenFor = async () => decodeJwt((await browser.post('/api/auth/token', { audience: 'orders' })).json().token)
  t.notOk('roles' in await tokenFor())
  await write(service, user.id, DATA)
  const claims = await tokenFor()
  t.match(claims, { ...CLAIMS, sub: user.id, iss: app.config.PUBLIC_URL, username: user.username })
  for (const name of ['private', 'toString']) t.notOk(Object.hasOwn(claims, name), name)
  await write(service, user.id, { roles: [] })
  t.strictSame((await tokenFor()).roles, [])
  const passedOn = () => check(service, browser, '?audience=orders')
  await write(service, user.id, CLAIMS)
  await eventually(passedOn, ({ headers }) => {
    const { roles } = decodeJwt<typeof CLAIMS>(String(headers['x-auth-token']))
    return roles.length === 2
  })
  t.strictSame(service.log.errors, [])
})

t.test('service tokens: data never replaces a claim of ours, even if a name was not refused at the start', async t => {
  const { owner, settings } = await createDatabase(t)
  const { app } = await build(t, { settings: { ...SETTINGS, ...settings } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  await browser.signIn(user.username)
  const claimsNow = async () => decodeJwt((await browser.post('/api/auth/token', { audience: 'orders' })).json().token)
  const own = await claimsNow()
  const hostile = Object.fromEntries(Object.keys(own).map(name => [name, 'forged']))
  app.tokenClaims.of = async () => ({ ...hostile, roles: [] })
  const forged = await claimsNow()
  t.strictSame(forged.roles, [])
  t.strictSame(Object.keys(forged).sort(), [...Object.keys(own), 'roles'].sort())
  for (const name of Object.keys(own)) t.not(forged[name], 'forged', name)
})

t.test('service tokens: one that is asked for after a change has it, while an earlier request still reads', async t => {
  const { owner, settings } = await createDatabase(t)
  const service = await build(t, { settings: { ...SETTINGS, ...settings } })
  const user = await createUser(owner)
  const browser = createBrowser(service.app)
  await browser.signIn(user.username)
  await write(service, user.id, { roles: ['editor'] })
  const ask = async () => (await browser.post('/api/auth/token', { audience: 'orders' })).json()
  const client = await owner.connect()
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%FROM refresh_tokens t JOIN%' AND wait_event_type = 'Lock'`
  await client.query('BEGIN; LOCK TABLE refresh_tokens IN ACCESS EXCLUSIVE MODE')
  // It has read the data, and waits for the session.
  const early = ask()
  await eventually(() => owner.query(waiting), ({ rowCount }) => rowCount === 1)
  await write(service, user.id, { roles: [] })
  const late = ask()
  await client.query('COMMIT')
  client.release()
  await early
  t.strictSame(decodeJwt((await late).token).roles, [])
})

t.test('without TOKEN_CLAIMS, no token and no header has anything of it', async t => {
  const { owner, settings } = await createDatabase(t)
  const service = await build(t, { settings: { ...NO_LIMITS, TOKEN_AUDIENCES: 'orders', ...settings } })
  const user = await createUser(owner)
  const browser = createBrowser(service.app)
  await browser.signIn(user.username)
  await write(service, user.id, DATA)
  const { headers } = await check(service, browser, '?audience=orders')
  t.notOk('x-auth-claims' in headers)
  t.notOk('roles' in decodeJwt(String(headers['x-auth-token'])))
})

t.test('the largest data fits into the header, also over HTTP', async t => {
  const { owner, settings } = await createDatabase(t)
  const service = await build(t, { settings: { ...SETTINGS, ...settings } })
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const user = await createUser(owner)
  const browser = createBrowser(service.app)
  await browser.signIn(user.username)
  const data = { roles: '€'.repeat(1_361) + 'xx' }
  t.equal(Buffer.byteLength(JSON.stringify(data)), 4_096 + 1)
  data.roles = data.roles.slice(0, -1)
  await write(service, user.id, data)
  const headers = { cookie: `access_token=${browser.cookies.get('access_token')}` }
  const response = await fetch(`${address}/api/auth/verify?audience=orders`, { headers })
  t.equal(response.status, 204)
  t.strictSame(claimsIn(response.headers.get('x-auth-claims')), data)
  t.equal(response.headers.get('x-auth-claims')?.length, 5_462)
  t.match(decodeJwt(response.headers.get('x-auth-token') ?? ''), data)
})

t.test('PostgreSQL away: known claims stay, and an account that was not read is 503, never without claims', async t => {
  const postgres = await startOwnPostgres(t)
  const owner = new pg.Pool({ connectionString: postgres.url('postgres', OWNER_PASSWORD, TEMPLATE) })
  owner.on('error', () => {})
  const DATABASE_URL = postgres.url('gatehouse', SERVICE_PASSWORD, TEMPLATE)
  const service = await build(t, { settings: { ...SETTINGS, DATABASE_URL } })
  const [seen, unseen] = [await createUser(owner), await createUser(owner)]
  const browsers = [createBrowser(service.app), createBrowser(service.app)] as const
  for (const [index, user] of [seen, unseen].entries()) {
    await browsers[index]?.signIn(user.username)
    await write(service, user.id, DATA)
  }
  await eventually(() => check(service, browsers[0]), ({ claims }) => claims?.roles.length === 2)
  await owner.end()
  await postgres.stop()
  for (let i = 0; i < 3; i++) t.strictSame((await check(service, browsers[0])).claims, CLAIMS)
  t.match(await check(service, browsers[1]), { statusCode: 503, headers: { 'retry-after': '5' }, claims: undefined })
})
