// Data in the answers of REGISTRATION_HOOK and SIGN_IN_HOOK.
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { startProviderA } from '../../../demo/provider-a.ts'
import { startApplication } from '../../support/application.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../support/browser.ts'
import { build, buildShared } from '../../support/build.ts'
import { askForMail, confirm, WITH_MAIL } from '../../support/mail-sign-in.ts'
import { ORIGIN } from '../../support/passkeys.ts'
import { goThrough } from '../../support/provider-visits.ts'
import { shareSmtp } from '../../support/smtp.ts'

const application = await startApplication(t)
const provider = await startProviderA({
  clientId: 'gatehouse', clientSecret: 'pr0vider-Secret', redirectUri: `${ORIGIN}/api/auth/provider-a/callback`,
})
t.teardown(provider.stop)

const ADA = { username: 'ada', email: 'ada@example.com', password: PASSWORD, name: 'Ada Lovelace' }
const GRACE = { name: 'Grace Hopper', email: 'grace@example.org' }
const answerWith = (data: object) => application.reset({ allow: true, data })

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const smtp = await shareSmtp(t)
  application.reset()
  const built = await buildShared(t, {
    settings: {
      ...NO_LIMITS,
      ...WITH_MAIL,
      ...provider.settings,
      ...application.settings(),
      SMTP_URL: smtp.url,
      PUBLIC_URL: ORIGIN,
      TOKEN_AUDIENCES: 'orders',
      TOKEN_CLAIMS: 'roles',
      ...settings,
    },
  })
  const stored = async () => (await built.owner.query(`
    SELECT u.email, d.data, d.version FROM account_data d JOIN users u ON u.id = d.user_id ORDER BY u.id`)).rows
  const changes = async () => (await built.owner.query(`
    SELECT what, subject, actor, user_id AS id FROM auth_events WHERE subject = 'data' ORDER BY id`)).rows
  return { ...built, smtp, stored, changes, browser: createBrowser(built.app) }
}

const rolesIn = async (browser: Browser) =>
  decodeJwt((await browser.post('/api/auth/token', { audience: 'orders' })).json().token).roles

t.test('SIGN_IN_HOOK: the data is stored with the session, and in its first token', async t => {
  const { app, owner, browser, stored, changes } = await setUp(t)
  const user = await createUser(owner)
  answerWith({ roles: ['editor'] })
  t.equal((await browser.signIn(user.username)).statusCode, 200)
  t.strictSame(await rolesIn(browser), ['editor'])
  t.match((await browser.get('/api/auth/verify')).headers, {
    'x-auth-claims': Buffer.from('{"roles":["editor"]}').toString('base64url'),
  })
  t.match(await changes(), [{ what: 'profile_changed', actor: 'hook sign_in', id: user.id }])

  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200)
  t.equal((await changes()).length, 1, 'the same once more is no change')
  application.reset({ allow: true })
  await createBrowser(app).signIn(user.username)
  t.match(await stored(), [{ data: { roles: ['editor'] }, version: 1 }], 'without data, what is stored stays')
  answerWith({})
  await createBrowser(app).signIn(user.username)
  t.match(await stored(), [{ data: {}, version: 2 }])
})

t.test('SIGN_IN_HOOK: a denial stores nothing, nor does a wrong password', async t => {
  const { owner, browser, stored } = await setUp(t)
  const user = await createUser(owner)
  application.reset({ allow: false, data: { roles: ['editor'] } })
  t.equal((await browser.signIn(user.username)).statusCode, 403)
  answerWith({ roles: ['editor'] })
  t.equal((await browser.signIn(user.username, 'wrong')).statusCode, 401)
  t.strictSame(await stored(), [])
})

t.test('REGISTRATION_HOOK: the form, by an unknown and a known address', async t => {
  const { owner, browser, smtp, stored, changes } = await setUp(t)
  const known = await createUser(owner, { email: 'known@example.com' })
  answerWith({ plan: 'free' })
  const answers = []
  for (const email of [ADA.email, known.email]) {
    const { statusCode, body } = await browser.post('/register', { ...ADA, username: email.slice(0, 3), email })
    await smtp.next()
    answers.push({ statusCode, body })
  }
  t.strictSame(answers[0], answers[1])
  // The placeholder of the known address gets it as well, so that it takes as long. The known account does not.
  t.match(await stored(), [
    { email: ADA.email, data: { plan: 'free' }, version: 1 }, { email: /@stand-in\.invalid$/, data: { plan: 'free' } },
  ])
  t.match(await changes(), [{ actor: 'hook registration' }, { actor: 'hook registration' }])
})

t.test('REGISTRATION_HOOK: without verification, by mail, and through a provider', async t => {
  const { app, browser, smtp, stored } = await setUp(t, { EMAIL_VERIFICATION: 'off' })
  answerWith({ from: 'form' })
  t.equal((await browser.post('/register', ADA)).statusCode, 201)
  application.reset((response, { message }) => response.end(JSON.stringify({
    allow: true, ...message.type === 'registration.requested' && { data: { from: message.data.method } },
  })))
  const other = createBrowser(app)
  const { code } = await askForMail(other, smtp, 'bea@example.com')
  await confirm(other, { code })
  t.equal((await other.post('/register/mail', { name: 'Bea' })).statusCode, 201)
  t.equal(await goThrough(createBrowser(app), 'provider-a', { as: GRACE }), '/dashboard')
  t.strictSame((await stored()).map(({ email, data }) => [email, data]), [
    [ADA.email, { from: 'form' }], ['bea@example.com', { from: 'mail' }], [GRACE.email, { from: 'provider' }],
  ])
})

for (const away of ['allow', 'refuse'] as const) {
  t.test(`data that cannot be stored: an answer that does not count, with ${away}`, async t => {
    const { app, owner, log } = await build(t, {
      settings: { ...NO_LIMITS, ...application.settings(away), EMAIL_VERIFICATION: 'off' },
    })
    const user = await createUser(owner)
    for (const text of ['[]', '"x"', '{"a":"\\u0000"}', `{"a":"${'x'.repeat(4_096)}"}`, '{"__proto__":{"a":1}}']) {
      application.reset(response => response.end(`{"allow":true,"data":${text}}`))
      const browser = createBrowser(app, { repeats: false })
      t.equal((await browser.signIn(user.username)).statusCode, away === 'allow' ? 200 : 503)
    }
    t.equal((await owner.query('SELECT FROM account_data')).rowCount, 0)
    t.match(log.text, /Invalid data/)
    t.strictSame(log.errors, [])
  })
}
