// A user of a provider with the verified address of an account: when the account is linked, and what is told.
import t, { type Test } from 'tap'
import { startProviderA } from '../../../../demo/provider-a.ts'
import { startProviderB } from '../../../../demo/provider-b.ts'
import { startProviderC } from '../../../../demo/provider-c.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import { comeBackFrom, goThrough, HOME, landOn, registration, tokensIn } from '../../../support/provider-visits.ts'
import { addTotp, wrongCode } from '../../../support/second-factor.ts'

const ADA = { id: 4711, login: 'ada-hub', email: 'ada@example.org' }
const PATHS = ['provider-a', 'provider-b', 'gitlab']

const a = await startProviderA(registration('provider-a'))
const b = await startProviderB(registration('provider-b'))
const gitlab = await startProviderC(registration('gitlab'), 'gitlab')
t.teardown(() => Promise.all([a.stop(), b.stop(), gitlab.stop()]))
const SETTINGS =
  { ...NO_LIMITS, ...a.settings, ...b.settings, ...gitlab.settings, PROVIDERS: 'gitlab', PUBLIC_URL: HOME }

/** An account with the address of the user of the provider, but not linked. */
async function setUp (t: Test, settings: Record<string, string> = {}) {
  const { app, owner } = await buildShared(t, { settings: { ...SETTINGS, ...settings } })
  const user = await createUser(owner, { email: ADA.email })

  /** What the link leaves: providers of the account, events and mails. */
  async function traces () {
    const [identities, events, mails] = await Promise.all([
      app.identities.list(user.id),
      owner.query("SELECT user_id FROM auth_events WHERE what = 'provider_linked'"),
      owner.query("SELECT data->>'email' AS email FROM pgboss.job WHERE data->>'change' = 'provider_linked'"),
    ])
    return {
      providers: identities.map(({ provider }) => provider),
      events: events.rows.map(row => row.user_id),
      mails: mails.rows.map(row => row.email),
    }
  }
  const tracesOf = (path: string) =>
    ({ providers: [path.replace('-', '_')], events: [user.id], mails: [user.email] })
  return { app, owner, user, traces, tracesOf, browser: createBrowser(app) }
}

const NOTHING = { providers: [], events: [], mails: [] }
const ASKED = /^\/login\?second_factor=totp/

for (const path of PATHS) {
  t.test(`${path}: without a second factor, linked at the sign-in, once, with event and mail`, async t => {
    const { app, browser, traces, tracesOf } = await setUp(t)
    t.equal(await goThrough(browser, path, { as: ADA }), '/dashboard')
    t.strictSame(await traces(), tracesOf(path))
    t.equal(await goThrough(createBrowser(app), path, { as: ADA }), '/dashboard')
    t.strictSame(await traces(), tracesOf(path), 'nothing more at the next sign-in')
  })

  t.test(`${path}: with a second factor, linked after it, with event and mail`, async t => {
    const { owner, browser, user, traces, tracesOf } = await setUp(t)
    const factor = await addTotp(owner, user.id)
    t.match(await goThrough(browser, path, { as: ADA }), ASKED)
    t.strictSame(await traces(), NOTHING, 'not before')
    t.equal((await browser.post('/login/second-factor', { code: wrongCode(factor.secret) })).statusCode, 401)
    t.strictSame(await traces(), NOTHING, 'nor after a wrong code')
    const code = await factor.freshCode()
    t.equal((await browser.post('/login/second-factor', { code, remember: true })).statusCode, 200)
    t.strictSame(tokensIn(browser), ['access_token', 'refresh_token'])
    t.strictSame(await traces(), tracesOf(path))
    t.equal(await goThrough(browser, path, { as: ADA }), '/dashboard', 'linked, and the browser is remembered')
    t.strictSame(await traces(), tracesOf(path))
  })

  t.test(`${path}: an abandoned second step leaves no link, whoever signs in next`, async t => {
    const { app, owner, user, traces } = await setUp(t)
    const factor = await addTotp(owner, user.id)
    t.match(await goThrough(createBrowser(app), path, { as: ADA }), ASKED)
    const browser = createBrowser(app)
    t.equal((await browser.signIn(user.username)).statusCode, 202)
    t.equal((await browser.post('/login/second-factor', { code: await factor.freshCode() })).statusCode, 200)
    t.strictSame(await traces(), NOTHING)
  })

  t.test(`${path}: event, mail and link fail together (302)`, async t => {
    const { owner, browser, traces, tracesOf } = await setUp(t)
    await owner.query(`
      CREATE FUNCTION refuse_mail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no mail'; END $$;
      CREATE TRIGGER refuse_mail BEFORE INSERT ON pgboss.job_common
        FOR EACH ROW WHEN (new.data->>'change' = 'provider_linked') EXECUTE FUNCTION refuse_mail()`)
    const removeTrigger = () => owner.query('DROP FUNCTION IF EXISTS refuse_mail CASCADE')
    t.teardown(removeTrigger)
    t.equal(await goThrough(browser, path, { as: ADA }), '/login?error=callback_failed')
    t.strictSame(await traces(), NOTHING)
    t.strictSame(tokensIn(browser), [], 'and no session')
    await removeTrigger()
    t.equal(await goThrough(browser, path, { as: ADA }), '/dashboard')
    t.strictSame(await traces(), tracesOf(path))
  })

  t.test(`${path}: the account or the user of the provider changed during the second step (401), no link`, async t => {
    const { app, owner, user, traces } = await setUp(t)
    const factor = await addTotp(owner, user.id)
    const other = await createUser(owner)
    const key = path.replace('-', '_')
    for (const [what, change, undo] of [
      ['another address', "UPDATE users SET email = 'new@example.org' WHERE id = $1", true],
      ['an address that is not verified', 'UPDATE users SET email_verified_at = NULL WHERE id = $1', true],
      ['another password', "UPDATE users SET password_hash = 'x' WHERE id = $1", false],
    ] as const) {
      const browser = createBrowser(app)
      t.match(await goThrough(browser, path, { as: ADA }), ASKED, what)
      await owner.query(change, [user.id])
      const answer = await browser.post('/login/second-factor', { code: await factor.freshCode() })
      t.equal(answer.statusCode, 401, what)
      t.equal(answer.json().error, 'Login expired', what)
      if (undo) {
        await owner.query('UPDATE users SET email = $2, email_verified_at = now() WHERE id = $1', [user.id, ADA.email])
      }
    }
    const browser = createBrowser(app)
    t.match(await goThrough(browser, path, { as: ADA }), ASKED)
    const link = { key, issuer: path === 'gitlab' ? gitlab.url : undefined }
    const { profile } = JSON.parse(Buffer.from(stepOf(app, browser)[4] as string, 'base64url').toString())
    await app.identities.link(app.database, other.id, link, profile)
    t.equal((await browser.post('/login/second-factor', { code: await factor.freshCode() })).statusCode, 401, 'taken')
    t.strictSame(await traces(), NOTHING)
    t.strictSame(tokensIn(browser), [])
  })
}

const stepOf = (app: Awaited<ReturnType<typeof setUp>>['app'], { cookies }: ReturnType<typeof createBrowser>) =>
  String(app.unsignCookie(String(cookies.get('login_step'))).value).split('.')

t.test('POST /login/second-factor: a link in the step of another account, or in one without a link (401)', async t => {
  const { app, owner, user, traces, browser } = await setUp(t)
  const factor = await addTotp(owner, user.id)
  const other = await createUser(owner)
  const otherFactor = await addTotp(owner, other.id)
  await goThrough(browser, 'gitlab', { as: ADA })
  const link = stepOf(app, browser)[4] as string
  t.match(Buffer.from(link, 'base64url').toString(), ADA.email)
  for (const [{ username }, { freshCode }] of [[user, factor], [other, otherFactor]] as const) {
    const thief = createBrowser(app)
    await thief.signIn(username)
    const own = thief.cookies.get('login_step') as string
    thief.cookies.set('login_step', app.signCookie(stepOf(app, thief).with(4, link).join('.')))
    t.equal((await thief.post('/login/second-factor', { code: await freshCode() })).statusCode, 401)
    thief.cookies.set('login_step', own)
    t.equal((await thief.post('/login/second-factor', { code: await freshCode() })).statusCode, 200)
  }
  t.strictSame(await traces(), NOTHING)
  t.strictSame(await app.identities.list(other.id), [])
})

t.test('PROVIDER_SECOND_FACTOR=trust: linked at the sign-in, with event and mail', async t => {
  const { owner, browser, user, traces, tracesOf } = await setUp(t, { PROVIDER_SECOND_FACTOR: 'trust' })
  await addTotp(owner, user.id)
  t.equal(await goThrough(browser, 'provider-a', { as: ADA }), '/dashboard')
  t.strictSame(await traces(), tracesOf('provider-a'))
})

t.test('two callbacks at once: both sign in, one link, one event, one mail', async t => {
  const { app, traces, tracesOf } = await setUp(t)
  const browsers = [createBrowser(app), createBrowser(app)]
  const backs = await Promise.all(browsers.map(browser => comeBackFrom(browser, 'gitlab', { as: ADA })))
  t.strictSame(
    await Promise.all(browsers.map((browser, index) => landOn(browser, backs[index] as string))),
    ['/dashboard', '/dashboard']
  )
  t.strictSame(await traces(), tracesOf('gitlab'))
})
