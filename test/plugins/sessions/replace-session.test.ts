import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../support/browser.ts'
import { build, createDatabase } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { addTotp, codeOf } from '../../support/second-factor.ts'

const PATH = '/api/auth/reauthenticate'
const ROUNDS = 10

const { owner, settings } = await createDatabase(t)
const { app } = await build(t, { settings: { ...NO_LIMITS, ...settings } })

async function signIn (service = app) {
  const user = await createUser(owner)
  const browser = createBrowser(service)
  await browser.signIn(user.username)
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  const prove = (from: Browser = browser) =>
    from.send('POST', PATH, { password: PASSWORD }, { 'x-csrf-token': csrfToken })
  const live = async () => (await owner.query(
    'SELECT id, generation FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NULL', [user.id])).rows
  const eventsOf = async (what: string) => (await owner.query(
    'SELECT FROM auth_events WHERE user_id = $1 AND what = $2', [user.id, what])).rowCount
  return { user, browser, csrfToken, prove, live, eventsOf }
}

/** Another tab: the same cookies at this moment, and responses that arrive there alone. */
function tabOf (browser: Browser) {
  const tab = createBrowser(app)
  for (const [name, value] of browser.cookies) tab.cookies.set(name, value)
  return tab
}

t.test('a refresh that arrives after the proof: 401, which clears no cookie and is no reuse', async t => {
  const { browser, prove, eventsOf, live } = await signIn()
  const older = tabOf(browser)
  await browser.refresh()
  await browser.refresh()
  const tab = tabOf(browser)
  t.equal((await prove()).statusCode, 204)
  for (const late of [tab, older]) {
    const answer = await late.refresh()
    t.equal(answer.statusCode, 401)
    t.strictSame(answer.cookies, [], 'the browser keeps the cookies of the new session')
  }
  t.equal(await eventsOf('refresh_reuse'), 0)
  t.equal((await browser.refresh()).statusCode, 200)
  t.equal((await live()).length, 1)
})

t.test('two proofs at once: one session goes on, the other tab is told to try again (204, 401)', async t => {
  for (let round = 0; round < ROUNDS; round++) {
    const { browser, prove, live } = await signIn()
    const tabs = [tabOf(browser), tabOf(browser)]
    const answers = await Promise.all(tabs.map(tab => prove(tab)))
    t.strictSame(answers.map(({ statusCode }) => statusCode).toSorted(), [204, 401])
    t.strictSame(answers.find(({ statusCode }) => statusCode === 401)?.cookies, [])
    t.equal((await live()).length, 1)
    const winner = tabs.find(tab => tab.cookies.get('refresh_token') !== browser.cookies.get('refresh_token'))
    t.equal((await winner?.refresh())?.statusCode, 200)
    t.equal((await prove(winner)).statusCode, 204)
  }
})

t.test('a proof and a refresh at once: the session of the proof goes on', async t => {
  for (let round = 0; round < ROUNDS; round++) {
    const { browser, prove, live, eventsOf } = await signIn()
    const [proving, refreshing] = [tabOf(browser), tabOf(browser)]
    const [proof, refresh] = await Promise.all([prove(proving), sleep(round % 5).then(() => refreshing.refresh())])
    t.equal(proof.statusCode, 204)
    t.ok([200, 401].includes(refresh.statusCode))
    if (refresh.statusCode === 401) t.strictSame(refresh.cookies, [])
    t.equal((await live()).length, 1)
    t.equal((await proving.refresh()).statusCode, 200)
    t.equal((await refreshing.refresh()).statusCode, 401)
    t.equal(await eventsOf('refresh_reuse'), 0)
  }
})

t.test('a proof and the end of all other sessions at once, in one browser: it stays signed in', async t => {
  for (let round = 0; round < ROUNDS; round++) {
    const { browser, csrfToken, prove, live } = await signIn()
    const [proving, ending] = [tabOf(browser), tabOf(browser)]
    const end = () => ending.send('DELETE', '/api/auth/sessions', undefined, { 'x-csrf-token': csrfToken })
    const [proof, ended] = await Promise.all([prove(proving), sleep(round % 5 * 2).then(end)])
    t.equal(proof.statusCode, 204)
    t.ok([204, 401].includes(ended.statusCode))
    t.equal((await live()).length, 1)
    t.equal((await proving.refresh()).statusCode, 200)
  }
})

t.test('a proof and the end of all other sessions at once, by another device: no session escapes', async t => {
  for (let round = 0; round < ROUNDS; round++) {
    const { user, prove, live, browser } = await signIn()
    const device = createBrowser(app)
    await device.signIn(user.username)
    const { csrfToken } = (await device.get('/api/csrf-token')).json()
    const end = () => device.send('DELETE', '/api/auth/sessions', undefined, { 'x-csrf-token': csrfToken })
    const [proof, ended] = await Promise.all([prove(), sleep(round % 5 * 2).then(end)])
    t.ok([204, 401].includes(proof.statusCode))
    t.equal(ended.statusCode, 204)
    t.equal((await live()).length, 1)
    t.equal((await browser.refresh()).statusCode, 401)
    t.equal((await device.refresh()).statusCode, 200)
  }
})

t.test('a proof with 100 sessions ends none of the others', async t => {
  const { user, prove, live } = await signIn()
  await owner.query(`
    INSERT INTO refresh_tokens (id, user_id, token, issued_at, expires_at, signed_in_at)
    SELECT gen_random_uuid(), $1, sha256(n::text::bytea), now() + interval '1 minute', now() + interval '1 day', now()
    FROM generate_series(1, 99) n`, [user.id])
  t.equal((await prove()).statusCode, 204)
  t.equal((await live()).length, 100)
})

t.test('a second factor that is added replaces the session: a copy can do nothing, not even enrol', async t => {
  const { app: strict } = await build(t, { settings: { ...NO_LIMITS, ...settings, SECOND_FACTOR: 'required' } })
  const { browser, live, csrfToken } = await signIn(strict)
  const stolen = createBrowser(strict)
  for (const [name, value] of browser.cookies) stolen.cookies.set(name, value)
  const { secret } = (await browser.guarded('POST', '/api/auth/factors/totp')).json()
  t.equal((await browser.guarded('POST', '/api/auth/factors/totp/confirm', { code: codeOf(secret) })).statusCode, 200)
  t.equal((await stolen.refresh()).statusCode, 401)
  const attempt = () => stolen.send('POST', '/api/auth/factors/passkeys/options', undefined,
    { 'x-csrf-token': csrfToken })
  await eventually(async () => (await attempt()).statusCode, status => status === 401)
  t.equal((await browser.get('/api/auth/me')).statusCode, 200)
  t.equal((await live()).length, 1)
})

t.test('a wrong proof replaces nothing', async t => {
  const { user, browser, csrfToken, live } = await signIn()
  const [before] = await live()
  const guess = (body: object) => browser.send('POST', PATH, body, { 'x-csrf-token': csrfToken })
  t.equal((await guess({ password: 'wr0ng-Guess-in-the-dark!' })).statusCode, 403)
  await addTotp(owner, user.id)
  t.equal((await guess({ password: PASSWORD })).statusCode, 403)
  t.strictSame(await live(), [before])
})
