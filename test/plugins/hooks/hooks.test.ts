import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startProviderA } from '../../../demo/provider-a.ts'
import { buildOperatorApp } from '../../../src/operator-app.ts'
import { noPassword } from '../../../src/passwords/no-password.ts'
import { startApplication } from '../../support/application.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../support/browser.ts'
import { build, buildShared, secrets } from '../../support/build.ts'
import { runCommand } from '../../support/cli/in-process.ts'
import { makeFolder } from '../../support/folder.ts'
import { askForMail, confirm, WITH_MAIL } from '../../support/mail-sign-in.ts'
import { SESSION } from '../../support/operator-session.ts'
import { enrolled, ORIGIN, signInWithPasskey } from '../../support/passkeys.ts'
import { comeBackFrom, goThrough } from '../../support/provider-visits.ts'
import { scrape } from '../../support/scrape.ts'
import { addTotp, wrongCode } from '../../support/second-factor.ts'
import { shareSmtp } from '../../support/smtp.ts'

const application = await startApplication(t)
const provider = await startProviderA({
  clientId: 'gatehouse', clientSecret: 'pr0vider-Secret', redirectUri: `${ORIGIN}/api/auth/provider-a/callback`,
})
t.teardown(provider.stop)

const MESSAGE = 'Your <b>subscription</b> has ended.'
const DENIED = { allow: false, message: MESSAGE }
const REFUSAL = { error: 'Refused by the application', message: MESSAGE }
const ADA = { username: 'ada', email: 'ada@example.com', password: PASSWORD, name: 'Ada Lovelace' }
const GRACE = { name: 'Grace Hopper', email: 'grace@example.org' }

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
      ...settings,
    },
  })
  /** What the application was asked since the last time. */
  function asked () {
    const messages = [...application.asked]
    application.reset(application.answer)
    return messages
  }
  const types = () => asked().map(({ type }) => type)
  const accounts = async () => (await built.owner.query('SELECT FROM users')).rowCount
  const eventsOf = async (id: string) =>
    (await built.owner.query('SELECT what FROM auth_events WHERE user_id = $1 ORDER BY id', [id])).rows
      .map(({ what }) => what)
  return { ...built, smtp, asked, types, accounts, eventsOf, browser: createBrowser(built.app) }
}

const hasSession = ({ cookies }: ReturnType<typeof createBrowser>) => cookies.has('access_token')

t.test('REGISTRATION_HOOK: the form, by a known and an unknown address', async t => {
  const { browser, asked, smtp, owner } = await setUp(t)
  await createUser(owner, { email: 'known@example.com' })
  const answers = []
  for (const email of ['ada@example.com', 'known@example.com']) {
    const { statusCode, body } = await browser.post('/register', { ...ADA, username: email.slice(0, 3), email })
    await smtp.next()
    answers.push({ statusCode, body })
    t.match(asked(), [{
      type: 'registration.requested',
      data: {
        method: 'password',
        email,
        emailVerified: false,
        name: 'Ada Lovelace',
        language: 'en',
        ip: browser.address,
        userAgent: /Firefox/,
      },
    }], 'asked once, and the same')
  }
  t.strictSame(answers[0], answers[1])

  application.reset(DENIED)
  for (const email of ['eve@example.com', 'known@example.com']) {
    const refused = await browser.post('/register', { ...ADA, username: 'eve', email })
    t.equal(refused.statusCode, 403)
    t.strictSame(refused.json(), REFUSAL)
  }
  t.strictSame(smtp.mails.filter(({ reader }) => reader === 'eve@example.com'), [])
})

t.test('REGISTRATION_HOOK: no question without a valid form; a denial makes no account', async t => {
  const { browser, types, accounts } = await setUp(t, { EMAIL_VERIFICATION: 'off' })
  t.equal((await browser.post('/register', { ...ADA, password: 'weak' })).statusCode, 422)
  t.strictSame(types(), [])
  application.reset(DENIED)
  t.equal((await browser.post('/register', ADA)).statusCode, 403)
  t.equal(await accounts(), 0)
  application.reset()
  t.equal((await browser.post('/register', ADA)).statusCode, 201)
  t.strictSame(types(), ['registration.requested'])
})

t.test('REGISTRATION_HOOK: registration by mail, then the sign-in', async t => {
  const { browser, asked, smtp, accounts } = await setUp(t)
  const { code } = await askForMail(browser, smtp, 'ada@example.com')
  t.match((await confirm(browser, { code })).json(), { register: true })
  t.strictSame(asked(), [])
  application.reset(DENIED)
  t.strictSame((await browser.post('/register/mail', { name: 'Ada' })).json(), REFUSAL)
  t.equal(await accounts(), 0)
  application.reset()
  t.equal((await browser.post('/register/mail', { name: 'Ada' })).statusCode, 201)
  t.match(asked(), [
    { type: 'registration.requested', data: { method: 'mail', emailVerified: true, username: null, name: 'Ada' } },
    { type: 'sign_in.requested', data: { user: { email: 'ada@example.com', emailVerified: true }, amr: ['mail'] } },
  ])
  t.ok(hasSession(browser))
})

t.test('hooks and providers: a new account, then a known one; a denial is a page', async t => {
  const { app, browser, asked, accounts, owner } = await setUp(t)
  await createUser(owner, { username: 'squatter', email: GRACE.email, email_verified_at: null })
  application.reset(DENIED)
  const back = await comeBackFrom(browser, 'provider-a', { as: GRACE })
  const page = await browser.send('GET', back, undefined, { accept: 'text/html', 'sec-fetch-mode': 'navigate' })
  t.equal(page.statusCode, 403)
  t.match(page.body, 'Your &lt;b&gt;subscription&lt;/b&gt; has ended.')
  t.notMatch(page.body, '<b>subscription')
  t.match(asked(), [{
    type: 'registration.requested',
    data: { method: 'provider', provider: 'provider_a', email: GRACE.email, emailVerified: true },
  }])
  t.equal(await accounts(), 1, 'nothing was removed or made')

  application.reset()
  t.equal(await goThrough(browser, 'provider-a', { as: GRACE }), '/dashboard')
  t.match(asked(), [{ type: 'registration.requested' }, { type: 'sign_in.requested', data: { amr: ['ext'] } }])
  const other = createBrowser(app)
  t.equal(await goThrough(other, 'provider-a', { as: GRACE }), '/dashboard')
  t.match(asked(), [{ type: 'sign_in.requested' }])

  application.reset({ allow: false })
  const last = await comeBackFrom(other, 'provider-a', { as: GRACE })
  const inGerman = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'accept-language': 'de' }
  t.match((await other.send('GET', last, undefined, inGerman)).body, 'Die Anwendung erlaubt das nicht.')
})

t.test('SIGN_IN_HOOK: a password; wrong ones ask nothing', async t => {
  const { app, browser, asked, owner, eventsOf } = await setUp(t)
  const user = await createUser(owner)
  const disabled = await createUser(owner, { disabled_at: new Date() })
  for (const [name, password] of [[user.username, 'wrong'], ['nobody', PASSWORD], [disabled.username, PASSWORD]]) {
    t.equal((await browser.signIn(name as string, password)).statusCode, 401)
  }
  t.strictSame(asked(), [])
  t.equal((await browser.signIn(user.username)).statusCode, 200)
  const [question, ...more] = asked()
  t.strictSame(more, [])
  const { ip, userAgent, language, ...data } = question?.data ?? {}
  t.strictSame(data, {
    userId: user.id,
    user: {
      id: user.id,
      externalId: null,
      username: user.username,
      email: user.email,
      name: null,
      language: null,
      timeZone: null,
      emailVerified: true,
      disabled: false,
    },
    amr: ['pwd'],
  })

  // A new proof and a refresh are no new sign-in.
  t.equal((await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode, 204)
  t.equal((await browser.refresh()).statusCode, 200)
  t.strictSame(asked(), [])

  application.reset(DENIED)
  const refused = createBrowser(app)
  const answer = await refused.signIn(user.username)
  t.equal(answer.statusCode, 403)
  t.strictSame(answer.json(), REFUSAL)
  t.notOk(hasSession(refused))
  t.equal((await eventsOf(user.id)).at(-1), 'sign_in_refused')
  t.equal((await browser.get('/api/auth/me')).statusCode, 200, 'other sessions go on')
})

t.test('SIGN_IN_HOOK: a second factor asks once, after the last step', async t => {
  const { browser, asked, owner } = await setUp(t)
  const user = await createUser(owner)
  const { secret, freshCode } = await addTotp(owner, user.id)
  t.equal((await browser.signIn(user.username)).statusCode, 202)
  t.equal((await browser.post('/login/second-factor', { code: wrongCode(secret) })).statusCode, 401)
  t.strictSame(asked(), [])
  t.equal((await browser.post('/login/second-factor', { code: await freshCode() })).statusCode, 200)
  t.match(asked(), [{ data: { amr: ['pwd', 'otp', 'mfa'] } }])
})

t.test('SIGN_IN_HOOK: a passkey', async t => {
  const { app, browser, asked, owner } = await setUp(t)
  const user = await createUser(owner)
  await browser.signIn(user.username)
  const { authenticator } = await enrolled(browser)
  asked()
  t.equal((await signInWithPasskey(createBrowser(app), authenticator)).statusCode, 200)
  t.match(asked(), [{ data: { amr: ['hwk', 'mfa'] } }])
  application.reset(DENIED)
  t.strictSame((await signInWithPasskey(createBrowser(app), authenticator)).json(), REFUSAL)
})

t.test('SIGN_IN_HOOK: a code by mail', async t => {
  const { browser, asked, owner, smtp } = await setUp(t)
  const user = await createUser(owner)
  const { code } = await askForMail(browser, smtp, user.email)
  t.equal((await confirm(browser, { code })).statusCode, 200)
  t.match(asked(), [{ data: { amr: ['mail'] } }])
})

for (const allow of [true, false]) {
  t.test(`SIGN_IN_HOOK: the browser that registered, allow: ${allow}`, async t => {
    const { browser, types, smtp, log } = await setUp(t)
    await browser.post('/register', ADA)
    const { token } = await smtp.next()
    types()
    application.reset({ allow })
    t.equal((await browser.post('/verify-email', { token })).statusCode, 204, 'the address is confirmed')
    t.strictSame(types(), ['sign_in.requested'])
    t.equal(hasSession(browser), allow)
    const { message } = (await browser.signIn('ada')).json()
    t.equal(message, allow ? undefined : 'The application does not allow this.')
    t.strictSame(log.errors, [])
  })
}

t.test('hooks: an account that an operator adds asks nothing', async t => {
  const { app, asked, accounts } = await setUp(t)
  await app.administration.add({ ...ADA, passwordHash: noPassword() }, { verified: true })
  t.equal(await accounts(), 1)
  t.strictSame(asked(), [])
})

t.test('hooks: never told the password, and no transaction is open meanwhile', async t => {
  const { browser, owner, smtp } = await setUp(t)
  const open: number[] = []
  const bodies: string[] = []
  application.reset(async (response, { body }) => {
    const { rowCount } = await owner.query(`
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND usename = 'gatehouse' AND state LIKE 'idle in transaction%'`)
    open.push(rowCount ?? -1)
    bodies.push(body)
    response.end('{"allow":true}')
  })
  await browser.post('/register', ADA)
  await browser.post('/verify-email', { token: (await smtp.next()).token })
  await browser.signIn('ada')
  await goThrough(browser, 'provider-a', { as: GRACE })
  t.equal(open.length, 5)
  t.strictSame(open, [0, 0, 0, 0, 0])
  t.notMatch(bodies.join(), PASSWORD)
})

t.test('SIGN_IN_HOOK: a denial and an outage count as no wrong password', async t => {
  const { app, owner } = await setUp(t, { LIMIT_LOGIN_MAX: '3' })
  const user = await createUser(owner)
  const browser = createBrowser(app, { repeats: false })
  for (const [answer, status] of [[DENIED, 403], [{}, 503]] as const) {
    application.reset(answer)
    for (let i = 0; i < 5; i++) t.equal((await browser.signIn(user.username)).statusCode, status)
  }
  application.reset()
  t.equal((await browser.signIn(user.username)).statusCode, 200)
})

for (const away of ['allow', 'refuse'] as const) {
  t.test(`hooks: no answer that counts, with ${away}`, async t => {
    const allows = away === 'allow'
    const { app, owner, log } = await build(t, {
      settings: {
        ...NO_LIMITS,
        ...application.settings(away),
        ...provider.settings,
        PUBLIC_URL: ORIGIN,
        EMAIL_VERIFICATION: 'off',
        METRICS_PORT: '0',
      },
    })
    const metrics = await app.metrics.listen() as string
    const user = await createUser(owner)
    let asked = 0
    for (const answer of [
      () => {},
      response => response.destroy(),
      response => response.writeHead(503).end('{"allow":true}'),
      response => response.writeHead(307, { location: '/other' }).end(),
      response => response.end('allow'),
    ] as Array<(response: ServerResponse) => unknown>) {
      application.reset(answer)
      const answers = await Promise.all([
        createBrowser(app, { repeats: false }).signIn(user.username),
        createBrowser(app).post('/register', { ...ADA, username: `new-${asked}`, email: `${asked}@example.com` }),
      ])
      asked++
      t.strictSame(answers.map(({ statusCode }) => statusCode), allows ? [200, 201] : [503, 503])
      if (!allows) t.ok(answers.every(({ headers }) => headers['retry-after']))
    }
    if (!allows) {
      application.reset({})
      t.equal(await goThrough(createBrowser(app), 'provider-a', { as: GRACE }), '/login?error=callback_failed')
    }
    const series = await scrape(metrics)
    t.equal(series.get('gatehouse_hook_answers_total{hook="sign_in",outcome="away"}'), asked)
    t.equal(series.get('gatehouse_hook_seconds_count{hook="sign_in"}'), asked)
    const lines = log.lines.filter(({ msg }) => msg === 'the application gives no answer to a hook')
    t.equal(lines.length, 2, 'one line for each hook in a minute')
    t.notMatch(JSON.stringify(lines), '@example.com')
    t.strictSame(log.errors, [], 'no stack for each')
  })
}

t.test('SIGN_IN_HOOK: a code is used up by a sign-in that it stops', async t => {
  const { browser, smtp, eventsOf, owner } = await setUp(t, { SIGN_IN_HOOK_AWAY: 'refuse' })
  const user = await createUser(owner)
  const { code: mailCode } = await askForMail(browser, smtp, user.email)
  application.reset(DENIED)
  t.equal((await confirm(browser, { code: mailCode })).statusCode, 403)
  t.equal((await confirm(browser, { code: mailCode })).statusCode, 401)

  const { recoveryCodes: [code] } = await addTotp(owner, user.id)
  async function signInWithCode () {
    await browser.signIn(user.username)
    return (await browser.post('/login/second-factor', { code })).statusCode
  }
  application.reset(response => response.destroy())
  t.equal(await signInWithCode(), 503, 'away')
  application.reset()
  t.equal(await signInWithCode(), 401)
  t.notOk(hasSession(browser))
  t.ok((await eventsOf(user.id)).includes('recovery_code_used'), 'its owner sees it')
})

t.test('hooks: an import and the sign-in of an operator ask nothing', async t => {
  const { app, asked, accounts, owner } = await setUp(t)
  application.reset(DENIED)
  const file = join(makeFolder(t), 'users.ndjson')
  writeFileSync(file, JSON.stringify({ username: 'imported', email: 'imported@example.com', email_verified: true }))
  t.match(await runCommand(app, ['user', 'import', file]), { code: 0, stdout: /1 added/ })
  t.equal(await accounts(), 1)

  const user = await createUser(owner)
  const totp = await addTotp(owner, user.id)
  await app.operators.add(user.id)
  const operator = buildOperatorApp(app)
  t.teardown(() => operator.close())
  const browser = createBrowser(operator)
  const credentials = { username: user.username, password: PASSWORD }
  t.equal((await browser.post(SESSION, credentials)).statusCode, 202)
  t.equal((await browser.post(`${SESSION}/second-factor`, { code: await totp.freshCode() })).statusCode, 204)
  const session = browser.cookies.get('operator_session') as string
  t.ok(session)
  secrets.add(session)
  t.strictSame(asked(), [])
  const other = createBrowser(app)
  await other.signIn(user.username)
  t.equal((await other.post('/login/second-factor', { code: await totp.freshCode() })).statusCode, 403)
  t.match(asked(), [{ type: 'sign_in.requested' }], 'where users sign in, the same account is refused')
})
