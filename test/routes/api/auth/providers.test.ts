import t, { type Test } from 'tap'
import { startProviderA } from '../../../../demo/provider-a.ts'
import { startProviderB } from '../../../../demo/provider-b.ts'
import { startProviderC } from '../../../../demo/provider-c.ts'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import { eventually } from '../../../support/patience.ts'
import { goThrough, HOME, landOn, registration, signInAt, type Choice } from '../../../support/provider-visits.ts'

const EVE = { as: { id: 4711, login: 'eve-hub', name: 'Eve', email: 'eve@elsewhere.example' } }
const RACES = 5

const a = await startProviderA(registration('provider-a'))
const b = await startProviderB(registration('provider-b'))
const c = await startProviderC(registration('gitlab'), 'gitlab')
t.teardown(() => Promise.all([a.stop(), b.stop(), c.stop()]))

async function setUp (t: Test) {
  const settings = { ...NO_LIMITS, ...a.settings, ...b.settings, ...c.settings, PUBLIC_URL: HOME }
  const { app, owner } = await buildShared(t, { settings })
  /** A signed-in user with a password, whose address no provider knows. */
  async function newUser () {
    const user = await createUser(owner)
    const browser = createBrowser(app)
    await browser.signIn(user.username)
    return { ...user, browser }
  }
  const events = async (what: string) =>
    (await owner.query('SELECT user_id FROM auth_events WHERE what = $1', [what])).rows.map(row => row.user_id)
  const mails = async (change: string) =>
    (await owner.query("SELECT data->>'email' AS to FROM pgboss.job WHERE data->>'change' = $1", [change])).rows
  return { app, owner, newUser, events, mails }
}

const identitiesOf = async (browser: Browser) => (await browser.get('/api/auth/factors')).json().identities
const connect = (browser: Browser, name: string) => browser.guarded('POST', `/api/auth/providers/${name}/connect`)
const disconnect = (browser: Browser, name: string) => browser.guarded('DELETE', `/api/auth/providers/${name}`)

async function comeBackConnecting (browser: Browser, name: string, choice: Choice = EVE): Promise<string> {
  const answer = await connect(browser, name)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return signInAt(answer.json().location, choice)
}

for (const name of ['provider-a', 'provider-b', 'gitlab']) {
  const outcome = (what: string) => `/dashboard?provider=${name}&outcome=${what}#providers`

  t.test(`${name}: connect with another address, sign in with it, disconnect`, async t => {
    const { app, newUser, events, mails, owner } = await setUp(t)
    const { id, email, browser } = await newUser()
    t.strictSame(await identitiesOf(browser), [])
    t.equal(await landOn(browser, await comeBackConnecting(browser, name)), outcome('connected'))
    t.match(await identitiesOf(browser), [{ provider: name, email: name === 'gitlab' ? EVE.as.email : null }])
    t.strictSame(await events('provider_linked'), [id])
    t.strictSame(await mails('provider_linked'), [{ to: email }])
    t.equal((await browser.refresh()).statusCode, 200, 'the session goes on')
    t.match((await owner.query('SELECT email FROM users')).rows, [{ email }])

    const elsewhere = createBrowser(app)
    t.equal(await goThrough(elsewhere, name, EVE), '/dashboard')
    t.equal((await elsewhere.get('/api/auth/me')).json().id, id)
    t.equal((await connect(browser, name)).statusCode, 409, 'connected already')

    t.equal((await disconnect(browser, name)).statusCode, 204)
    t.strictSame(await identitiesOf(browser), [])
    t.strictSame(await events('provider_removed'), [id])
    t.strictSame(await mails('provider_removed'), [{ to: email }])
    t.equal((await disconnect(browser, name)).statusCode, 404)
    const stranger = createBrowser(app)
    t.equal(await goThrough(stranger, name, EVE), '/dashboard')
    t.not((await stranger.get('/api/auth/me')).json().id, id, 'now it is a user of its own')
  })

  t.test(`${name}: a user of the provider who belongs to another account is refused`, async t => {
    const { app, newUser, events } = await setUp(t)
    const eve = createBrowser(app)
    await goThrough(eve, name, EVE)
    const { browser } = await newUser()
    t.equal(await landOn(browser, await comeBackConnecting(browser, name)), outcome('taken'))
    t.strictSame(await identitiesOf(browser), [])
    t.match(await identitiesOf(eve), [{ provider: name }])
    t.strictSame(await events('provider_linked'), [])
  })

  t.test(`${name}: two accounts connect the same user of the provider at once: one succeeds`, async t => {
    const { newUser } = await setUp(t)
    for (let race = 0; race < RACES; race++) {
      const choice = { as: { ...EVE.as, id: 100 + race, login: `eve${race}` } }
      const people = [await newUser(), await newUser()]
      const backs: string[] = []
      for (const { browser } of people) backs.push(await comeBackConnecting(browser, name, choice))
      const found = await Promise.all(people.map(({ browser }, index) => landOn(browser, backs[index] as string)))
      t.strictSame(found.sort(), [outcome('connected'), outcome('taken')])
      const lists = await Promise.all(people.map(({ browser }) => identitiesOf(browser)))
      t.equal(lists.flat().length, 1)
    }
  })

  t.test(`${name}: cancelled, or the session ended meanwhile: nothing is connected`, async t => {
    const { app, newUser, owner } = await setUp(t)
    const { browser } = await newUser()
    t.equal(await landOn(browser, await comeBackConnecting(browser, name, { cancel: true })), outcome('failed'))

    const back = await comeBackConnecting(browser, name)
    t.match(await landOn(createBrowser(app), back), /^\/login\?error=/, 'in another browser')
    await owner.query('UPDATE refresh_tokens SET revoked_at = now()')
    t.equal(await landOn(browser, back), outcome('failed'))
    t.match(await landOn(browser, back), /^\/login\?error=/, 'a second time')
    t.equal((await owner.query('SELECT FROM identities')).rowCount, 0)
    t.match((await owner.query('SELECT * FROM users')).rows, [{ provider_a_id: null, provider_b_id: null }])
  })
}

t.test('a session that ends while the callback waits for the account connects nothing', async t => {
  const { newUser, owner, events } = await setUp(t)
  const { id, browser } = await newUser()
  const back = await comeBackConnecting(browser, 'gitlab')
  const reset = await owner.connect()
  await reset.query('BEGIN')
  await reset.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [id])
  const landed = landOn(browser, back)
  await eventually(async () => (await owner.query(`
    SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE users SET factors_version%'
      AND datname = current_database()`)).rowCount, Boolean)
  await reset.query('UPDATE refresh_tokens SET revoked_at = now() WHERE user_id = $1', [id])
  await reset.query('COMMIT')
  reset.release()
  t.match(await landed, /outcome=failed/)
  t.equal((await owner.query('SELECT FROM identities WHERE user_id = $1', [id])).rowCount, 0)
  t.strictSame(await events('provider_linked'), [])
})

t.test('connect, disconnect: without a fresh proof or CSRF token (403), unknown name (404)', async t => {
  const { newUser, owner } = await setUp(t)
  const { browser } = await newUser()
  for (const [method, path] of [['POST', '/connect'], ['DELETE', '']] as const) {
    t.equal((await browser.send(method, `/api/auth/providers/gitlab${path}`)).statusCode, 403, 'without a CSRF token')
    for (const name of ['unknown', 'constructor']) {
      t.equal((await browser.guarded(method, `/api/auth/providers/${name}${path}`)).statusCode, 404, name)
    }
  }
  await owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
  for (const answer of [await connect(browser, 'gitlab'), await disconnect(browser, 'gitlab')]) {
    t.match([answer.statusCode, answer.json()], [403, { error: 'Confirm it is you', methods: ['password'] }])
  }
})

for (const name of ['provider-a', 'gitlab']) {
  t.test(`${name}: two sessions of one account connect two users of the provider: the first one stays`, async t => {
    const { app, newUser } = await setUp(t)
    const { username, browser } = await newUser()
    const other = createBrowser(app)
    await other.signIn(username)
    const first = await comeBackConnecting(browser, name)
    const second = await comeBackConnecting(other, name, { as: { id: 8, email: 'zoe@elsewhere.example' } })
    t.match(await landOn(browser, first), /outcome=connected/)
    t.match(await landOn(other, second), /outcome=failed/)
    t.equal(await goThrough(createBrowser(app), name, EVE), '/dashboard')
    t.equal((await identitiesOf(browser)).length, 1)
  })
}

t.test('DELETE /api/auth/providers/:name: the last way in, also by two requests at once (409)', async t => {
  const { app, events } = await setUp(t)
  for (let race = 0; race < RACES; race++) {
    const as = { ...EVE.as, id: 200 + race, login: `race${race}`, email: `race${race}@elsewhere.example` }
    const browser = createBrowser(app)
    await goThrough(browser, 'gitlab', { as })
    t.equal((await disconnect(browser, 'gitlab')).statusCode, 409, 'the only one')
    await landOn(browser, await comeBackConnecting(browser, 'provider-b', { as }))
    t.equal((await identitiesOf(browser)).length, 2)
    const answers = await Promise.all(['gitlab', 'provider-b'].map(name => disconnect(browser, name)))
    t.strictSame(answers.map(({ statusCode }) => statusCode).sort(), [204, 409])
    t.equal((await identitiesOf(browser)).length, 1)
  }
  t.equal((await events('provider_removed')).length, RACES, 'what was refused is not recorded')
})

t.test('a provider that is not configured any more is no way in', async t => {
  const { newUser, owner } = await setUp(t)
  const { id, browser } = await newUser()
  await landOn(browser, await comeBackConnecting(browser, 'gitlab'))
  await owner.query('UPDATE users SET password_hash = NULL')
  await owner.query(`INSERT INTO identities (provider, subject, issuer, user_id)
    VALUES ('former', '1', 'https://former.example', $1)`, [id])
  t.equal((await disconnect(browser, 'gitlab')).statusCode, 409)
  t.equal((await disconnect(browser, 'former')).statusCode, 204)
})
