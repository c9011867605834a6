import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../../support/browser.ts'
import { build } from '../../support/build.ts'
import { TWO_HOSTS } from '../../support/two-hosts.ts'

const DOMAIN = /^access_token=[^;]+; Max-Age=900; Domain=example\.com; Path=\/; HttpOnly; Secure; SameSite=Strict$/
const OWN = /^__Host-refresh_token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/
const cleared = (name: string, domain = '') =>
  `${name}=; Max-Age=0; ${domain}Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict`

const linesOf = ({ headers }: Awaited<ReturnType<Browser['get']>>) => headers['set-cookie'] as string[]
const tokensOf = (lines: string[]) => lines.filter(line => /^[\w-]+_token=/.test(line))

/** The service with and without COOKIE_DOMAIN, on the same database. */
async function setUp (t: Test) {
  const { COOKIE_DOMAIN, ...oneHost } = { ...NO_LIMITS, ...TWO_HOSTS }
  const { app: before, owner } = await build(t, { settings: oneHost })
  const { app: after } = await build(t, {
    settings: { ...oneHost, COOKIE_DOMAIN, DATABASE_URL: before.config.DATABASE_URL as string },
  })
  const { username } = await createUser(owner)
  return { before, after, owner, username }
}

/** The same browser, which reaches another instance. */
function moveTo (app: Parameters<typeof createBrowser>[0], from: Browser): Browser {
  const browser = createBrowser(app)
  for (const [name, value] of from.cookies) browser.cookies.set(name, value)
  return browser
}

t.test('COOKIE_DOMAIN: exact cookies of a sign-in and of a sign-out', async t => {
  const { after, username } = await setUp(t)
  const browser = createBrowser(after)
  const [former, access, refresh, ...others] = tokensOf(linesOf(await browser.signIn(username)))
  t.equal(former, cleared('access_token'), 'of this host alone')
  t.match(access, DOMAIN)
  t.match(refresh, OWN)
  t.strictSame(others, [])
  t.strictSame(tokensOf(linesOf(await browser.post('/logout'))).sort(), [
    cleared('__Host-refresh_token'),
    cleared('access_token'),
    cleared('access_token', 'Domain=example.com; '),
  ].sort())
})

t.test('COOKIE_DOMAIN: when it is set, users stay signed in', async t => {
  const { before, after, username } = await setUp(t)
  const old = createBrowser(before)
  await old.signIn(username)
  const browser = moveTo(after, old)
  t.equal((await browser.get('/api/auth/me')).statusCode, 200, 'with the cookies of before')
  const lines = tokensOf(linesOf(await browser.refresh()))
  t.strictSame(lines.slice(0, 2), [cleared('access_token'), cleared('refresh_token')], 'they are replaced')
  t.match(lines[2], DOMAIN)
  t.match(lines[3], OWN)
  t.strictSame([...browser.cookies.keys()].filter(name => name.endsWith('_token')).sort(), [
    '__Host-refresh_token', 'access_token',
  ])
  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
  const back = moveTo(before, browser)
  t.equal((await back.refresh()).statusCode, 200, 'also at an instance without it')
  t.equal((await moveTo(after, back).refresh()).statusCode, 200)
})

t.test('COOKIE_DOMAIN: a repeated refresh at an instance with another setting (200)', async t => {
  const { before, after, username } = await setUp(t)
  const old = createBrowser(before)
  await old.signIn(username)
  const late = moveTo(after, old)
  t.equal((await old.refresh()).statusCode, 200)
  t.equal((await late.refresh()).statusCode, 200, 'the same successor')
  t.equal((await old.refresh()).statusCode, 200, 'the session goes on')
})

t.test('COOKIE_DOMAIN: sign-out with the cookies of before', async t => {
  const { before, after, owner, username } = await setUp(t)
  const old = createBrowser(before)
  await old.signIn(username)
  const browser = moveTo(after, old)
  t.equal((await browser.post('/logout')).statusCode, 204)
  t.strictSame([...browser.cookies.keys()].filter(name => name.endsWith('_token')), [])
  t.equal((await owner.query('SELECT FROM refresh_tokens WHERE revoked_at IS NULL')).rowCount, 0)
})
