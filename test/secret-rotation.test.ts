import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { startProviderB } from '../demo/provider-b.ts'
import { buildOperatorApp } from '../src/operator-app.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from './support/browser.ts'
import { build, createDatabase, secrets } from './support/build.ts'
import { API, SESSION } from './support/operator-session.ts'
import { signInAtProvider } from './support/person.ts'
import { addTotp } from './support/second-factor.ts'

const [OLD, NEW, OTHER] = [1, 2, 3].map(() => randomBytes(64).toString('base64url')) as [string, string, string]
for (const secret of [OLD, NEW, OTHER]) secrets.add(secret)

/** The settings of an instance at each step of the rotation. */
const STEPS = {
  before: { JWT_SECRET: OLD },
  announced: { JWT_SECRET: OLD, JWT_SECRET_PREVIOUS: NEW },
  changed: { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD },
  after: { JWT_SECRET: NEW },
  stranger: { JWT_SECRET: OTHER },
}

const HOME = 'http://gatehouse.test'
const provider = await startProviderB({
  clientId: 'gatehouse',
  clientSecret: 'pr0vider-Secret',
  redirectUri: `${HOME}/api/auth/provider-b/callback`,
})
t.teardown(provider.stop)
secrets.add('pr0vider-Secret')

const { owner, settings } = await createDatabase(t)
const started = new Map<keyof typeof STEPS, Promise<FastifyInstance>>()

/** One instance for each step, all on the same database. */
function instance (step: keyof typeof STEPS): Promise<FastifyInstance> {
  const app =
    started.get(step) ??
    build(t, {
      settings: { ...NO_LIMITS, ...settings, ...provider.settings, PUBLIC_URL: HOME, ...STEPS[step] },
    }).then(({ app }) => app)
  started.set(step, app)
  return app
}

async function signedInAt (step: keyof typeof STEPS) {
  const { username, email } = await createUser(owner)
  const browser = createBrowser(await instance(step))
  const { statusCode } = await browser.signIn(username)
  if (statusCode !== 200) throw new Error(`signed in with ${statusCode}`)
  return { browser, username, email, refreshToken: browser.cookies.get('refresh_token') as string }
}

/** The same browser, now served by another instance. */
function movedTo (app: FastifyInstance, browser: Browser): Browser {
  const moved = createBrowser(app)
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value)
  return moved
}

function holderOf (app: FastifyInstance, refreshToken: string): Browser {
  const holder = createBrowser(app)
  holder.cookies.set('refresh_token', refreshToken)
  return holder
}

const statusOf = async (answer: Promise<{ statusCode: number }>) => (await answer).statusCode

/** A page that is loaded from one instance and sends its form to the other. */
async function sendForm (browser: Browser, other: FastifyInstance): Promise<number> {
  const { csrfToken } = (await browser.get('/api/csrf-token')).json()
  return statusOf(movedTo(other, browser).send('POST', '/api/sensitive', undefined, { 'x-csrf-token': csrfToken }))
}

t.test('JWT_SECRET rotation: users stay signed in on both instances', async t => {
  let { browser } = await signedInAt('before')
  await browser.get('/api/csrf-token')
  for (const pair of [
    ['before', 'announced'],
    ['announced', 'changed'],
    ['changed', 'after'],
  ] as const) {
    const [one, other] = [await instance(pair[0]), await instance(pair[1])]
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      browser = movedTo(from, browser)
      const direction = `${pair.join(' and ')}, ${from === one ? 'forth' : 'back'}`
      t.equal(await statusOf(browser.get('/api/auth/me')), 200, `${direction}: the access token of the previous step`)
      t.equal(await statusOf(browser.refresh()), 200, `${direction}: its refresh token`)
      t.equal(
        await statusOf(movedTo(to, browser).get('/api/auth/verify')),
        204,
        `${direction}: the new access token at the other instance`
      )
      t.equal(await sendForm(browser, to), 200, `${direction}: a form`)
    }
  }
})

t.test('instance with the old secret only: tokens of the new secret (401)', async t => {
  const { browser } = await signedInAt('before')
  const changed = await instance('changed')
  t.equal(await statusOf(movedTo(changed, browser).get('/api/auth/me')), 200)
  t.equal(await sendForm(browser, changed), 200)
  const renewed = movedTo(changed, browser)
  t.equal(await statusOf(renewed.refresh()), 200)
  t.equal(await statusOf(movedTo(await instance('before'), renewed).get('/api/auth/me')), 401)
})

t.test('after the overlap: tokens of the old secret (401), which end no session', async t => {
  const { browser } = await signedInAt('before')
  for (const step of ['after', 'stranger'] as const) {
    const visitor = movedTo(await instance(step), browser)
    t.equal(await statusOf(visitor.get('/api/auth/me')), 401, step)
    const refusal = await visitor.refresh()
    t.equal(refusal.statusCode, 401, step)
    t.strictSame(refusal.cookies, [], 'no cookie is cleared')
  }
  t.equal(
    await statusOf(movedTo(await instance('changed'), browser).refresh()),
    200,
    'valid again with the old secret'
  )
})

t.test('tokens signed with neither secret (401)', async t => {
  const visitor = movedTo(await instance('changed'), (await signedInAt('stranger')).browser)
  t.equal(await statusOf(visitor.get('/api/auth/me')), 401)
  t.equal(await statusOf(visitor.refresh()), 401)
})

function isSignedWith (secret: string, name: string, value: string): boolean {
  const cut = value.lastIndexOf('.')
  const isToken = name.endsWith('_token')
  const key = isToken ? secret : createHmac('sha256', secret).update('cookies').digest('base64url')
  const signature = createHmac('sha256', key)
    .update(value.slice(0, cut))
    .digest(isToken ? 'base64url' : 'base64')
    .replace(/=+$/, '')
  return value.slice(cut + 1) === signature
}

t.test('during the overlap: the new secret signs everything', async t => {
  const { browser, username } = await signedInAt('before')
  await browser.get('/api/csrf-token')
  await browser.get('/api/auth/provider-b')
  t.strictSame([...browser.cookies.keys()].sort(), [
    '_csrf',
    'access_token',
    'device',
    'provider_b_state',
    'provider_b_transaction',
    'provider_b_verifier',
    'refresh_token',
  ])
  for (const [name, value] of browser.cookies) t.ok(isSignedWith(OLD, name, value), `${name} before the rotation`)

  const renewed = movedTo(await instance('changed'), browser)
  await renewed.refresh()
  await renewed.signIn(username)
  await renewed.get('/api/csrf-token')
  await renewed.get('/api/auth/provider-b')
  for (const [name, value] of renewed.cookies) t.ok(isSignedWith(NEW, name, value), name)
})

t.test('a known browser stays known after signing in during the overlap', async t => {
  const { browser, username, email } = await signedInAt('before')
  const alarms = async () =>
    (
      await owner.query('SELECT FROM sign_in_alarms WHERE user_id = (SELECT id FROM users WHERE email = $1)', [
        email,
      ])
    ).rowCount
  const marksOf = ({ cookies }: Browser) => (cookies.get('device') as string).split('.').slice(1, -2)

  const meanwhile = movedTo(await instance('changed'), browser)
  t.equal(await statusOf(meanwhile.signIn(username)), 200)
  t.equal(await alarms(), 0, 'no mail about a new device')
  t.equal(marksOf(meanwhile).length, marksOf(browser).length, 'marks signed with the old secret are replaced')
  t.notOk(marksOf(meanwhile).some(mark => marksOf(browser).includes(mark)))

  t.equal(await statusOf(movedTo(await instance('after'), meanwhile).signIn(username)), 200)
  t.equal(await alarms(), 0)
  t.equal(await statusOf(movedTo(await instance('stranger'), meanwhile).signIn(username)), 200)
  t.equal(await alarms(), 1, 'unknown where neither secret is configured')
})

for (const [rotating, answering] of [
  ['before', 'changed'],
  ['changed', 'announced'],
] as const) {
  t.test(
    `POST /api/auth/refresh: response lost from "${rotating}" to "${answering}", same successor (200)`,
    async t => {
      const { browser, refreshToken } = await signedInAt(rotating)
      await browser.refresh()
      const retry = holderOf(await instance(answering), refreshToken)
      t.equal(await statusOf(retry.refresh()), 200)
      t.equal(retry.cookies.get('refresh_token'), browser.cookies.get('refresh_token'))
      t.equal(await statusOf(retry.refresh()), 200)
    }
  )
}

t.test('POST /api/auth/refresh: lost response, secret removed (401)', async t => {
  const { browser, refreshToken } = await signedInAt('changed')
  const rotated = movedTo(await instance('announced'), browser)
  await rotated.refresh()
  t.equal(await statusOf(holderOf(await instance('after'), refreshToken).refresh()), 401)
  t.equal(await statusOf(rotated.refresh()), 200, 'a client that got the response continues')
})

t.test('JWT_SECRET rotation: second factors stay readable, and are encrypted again at their next use', async t => {
  const { id, username } = await createUser(owner)
  const factor = await addTotp(owner, id, OLD)
  const encrypted = async () => (await owner.query('SELECT secret FROM totp WHERE user_id = $1', [id])).rows[0].secret
  const texts = [await encrypted()]
  for (const step of ['before', 'announced', 'changed', 'after'] as const) {
    const browser = createBrowser(await instance(step))
    t.equal(await statusOf(browser.signIn(username)), 202, step)
    t.equal(await statusOf(browser.post('/login/second-factor', { code: await factor.freshCode() })), 200, step)
    texts.push(await encrypted())
  }
  t.equal(new Set(texts.slice(0, 3)).size, 1, 'encrypted once while the old secret is the present one')
  t.equal(new Set(texts.slice(3)).size, 1)
  t.not(texts[3], texts[2])
  const stranger = createBrowser(await instance('stranger'))
  await stranger.signIn(username)
  t.equal(await statusOf(stranger.post('/login/second-factor', { code: await factor.freshCode() })), 503)
  t.equal(await statusOf(stranger.post('/login/second-factor', { code: factor.recoveryCodes[0] })), 200)
})

t.test('JWT_SECRET rotation: a login in two steps and a remembered browser go on', async t => {
  const { id, username } = await createUser(owner)
  const factor = await addTotp(owner, id, OLD)
  const browser = createBrowser(await instance('announced'))
  await browser.signIn(username)
  const moved = movedTo(await instance('changed'), browser)
  const code = await factor.freshCode()
  t.equal(await statusOf(moved.post('/login/second-factor', { code, remember: true })), 200)
  t.equal(await statusOf(moved.signIn(username)), 200)
  t.equal(await statusOf(movedTo(await instance('announced'), moved).signIn(username)), 200)
  t.equal(await statusOf(movedTo(await instance('stranger'), moved).signIn(username)), 202)
})

t.test('provider sign-in: started before the rotation, finished after it (302)', async t => {
  for (const [step, location] of [
    ['changed', '/dashboard'],
    ['stranger', '/login?error=provider_b_auth_failed'],
  ] as const) {
    const browser = createBrowser(await instance('before'))
    const begun = await browser.get('/api/auth/provider-b')
    const back = await signInAtProvider(String(begun.headers.location), {
      as: { id: 4711, login: 'ada-hub', email: 'ada@example.org' },
    })
    const answer = await movedTo(await instance(step), browser).get(back.pathname + back.search)
    t.equal(answer.headers.location, location)
  }
})

t.test('JWT_SECRET rotation: an operator stays signed in, and the CSRF token of the page stays valid', async t => {
  const { id, username } = await createUser(owner)
  const factor = await addTotp(owner, id, OLD)
  const operatorAt = async (step: keyof typeof STEPS) => {
    const operator = buildOperatorApp(await instance(step))
    t.teardown(() => operator.close())
    return operator
  }
  const browser = createBrowser(await operatorAt('before'))
  await (await instance('before')).operators.add(id)
  t.equal(await statusOf(browser.post(SESSION, { username, password: PASSWORD })), 202)
  t.equal(await statusOf(browser.post(`${SESSION}/second-factor`, { code: await factor.freshCode() })), 204)
  const { csrfToken } = (await browser.get(SESSION)).json()
  const { id: other } = await createUser(owner)
  for (const step of ['announced', 'changed', 'after'] as const) {
    const page = movedTo(await operatorAt(step), browser)
    const disable = (token: string) =>
      statusOf(page.send('POST', `${API}/users/${other}/disable`, undefined, { 'x-csrf-token': token }))
    t.equal(await disable(csrfToken), 200, step)
    t.equal(await disable(`${csrfToken}x`), 403, step)
  }
})
