// What strangers can try with sign-in by mail. test/attacks/mail-code-guesses.test.ts has the guesses.
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build, buildShared } from '../support/build.ts'
import { allSent } from '../support/held-mails.ts'
import { askForMail, codeIn, confirm, WITH_MAIL } from '../support/mail-sign-in.ts'
import { eventually } from '../support/patience.ts'
import { shareSmtp, startSmtp } from '../support/smtp.ts'

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const shared = await buildShared(t, { settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url } })
  const user = await createUser(shared.owner)
  return { ...shared, smtp, user, browser: createBrowser(shared.app) }
}

const isSignedIn = (browser: ReturnType<typeof createBrowser>) => browser.cookies.has('access_token')

t.test('login CSRF: the link of an attacker signs in only from our page, which names the account', async t => {
  const { app, owner, smtp } = await setUp(t)
  const attacker = await createUser(owner)
  const { token } = await askForMail(createBrowser(app), smtp, attacker.email)
  const victim = createBrowser(app)
  const fromAnotherSite = await victim.send('POST', '/login/mail/confirm', { token }, {
    origin: 'https://evil.example', 'sec-fetch-site': 'cross-site',
  })
  t.equal(fromAnotherSite.statusCode, 403)
  const form = await app.inject({
    method: 'POST',
    url: '/login/mail/confirm',
    payload: `token=${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  t.equal(form.statusCode, 415, 'a form')
  await victim.get(`/login/mail?token=${token}`)
  t.notOk(isSignedIn(victim), 'nor does opening the link')
  t.match((await victim.post('/login/mail/link', { token })).json(), { username: attacker.username, askedHere: false })
})

t.test('login CSRF: no other host can set the cookie that the code of an attacker would need', async t => {
  const { smtp } = await setUp(t)
  const { app } = await build(t, {
    settings: {
      ...NO_LIMITS,
      ...WITH_MAIL,
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      REDIS_URL: 'redis://127.0.0.1:1',
      SMTP_URL: smtp.url,
    },
  })
  const answer = await createBrowser(app).post('/login/mail', { email: 'nobody@example.com' })
  t.match(answer.headers['set-cookie'],
    /^__Host-mail_sign_in=[^;]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
  await smtp.next()
})

t.test('a code tried from another browser', async t => {
  const { app, owner, smtp, user, browser } = await setUp(t)
  const { code } = await askForMail(browser, smtp, user.email)
  t.equal((await confirm(createBrowser(app), { code })).statusCode, 401, 'that never asked')
  const attacker = createBrowser(app)
  await askForMail(attacker, smtp, (await createUser(owner)).email)
  t.equal((await confirm(attacker, { code })).statusCode, 401, 'that asked for another account')
  t.equal((await confirm(browser, { code })).statusCode, 200)
})

t.test('a cookie that the service did not sign', async t => {
  const { app, smtp, user, browser } = await setUp(t)
  const { code } = await askForMail(browser, smtp, user.email)
  const forger = createBrowser(app)
  const [value] = String(browser.cookies.get('mail_sign_in')).split('.')
  forger.cookies.set('mail_sign_in', `${value}.made-up`)
  t.equal((await confirm(forger, { code })).statusCode, 401)
})

t.test('a link opened by a scanner, which also runs the scripts of the page, stays valid', async t => {
  const { app, smtp, user, browser } = await setUp(t)
  const { token } = await askForMail(browser, smtp, user.email)
  const scanner = createBrowser(app)
  for (const method of ['HEAD', 'GET'] as const) t.equal((await scanner.send(method, '/login/mail')).statusCode, 200)
  for (let each = 0; each < 3; each++) {
    t.equal((await scanner.post('/login/mail/link', { token })).statusCode, 200)
  }
  t.notOk(isSignedIn(scanner))
  t.equal((await confirm(createBrowser(app), { token })).statusCode, 200)
})

t.test('an invalid link tells nothing', async t => {
  const { app, owner, smtp, user, browser } = await setUp(t)
  const { token } = await askForMail(browser, smtp, user.email)
  await owner.query("UPDATE mail_codes SET expires_at = now() - interval '1 second'")
  const answers = new Set()
  for (const value of [token, 'made-up', `${token}x`]) {
    for (const url of ['/login/mail/link', '/login/mail/confirm']) {
      const { statusCode, body } = await createBrowser(app).post(url, { token: value })
      answers.add(`${statusCode} ${body}`)
    }
  }
  t.equal(answers.size, 1)
  t.match([...answers][0], /^400 .+Invalid link/)
})

t.test('a forwarded mail: its code is of no use, its link works once, and the owner is told', async t => {
  const { app, owner, smtp, user, browser } = await setUp(t)
  await browser.signIn(user.username)
  const first = await askForMail(browser, smtp, user.email)
  const reader = createBrowser(app)
  t.equal((await confirm(reader, { code: first.code })).statusCode, 401)
  t.equal((await confirm(browser, { code: first.code })).statusCode, 200)
  t.equal((await confirm(reader, { token: first.token })).statusCode, 400, 'after its owner has used it')

  const second = await askForMail(browser, smtp, user.email)
  t.equal((await confirm(reader, { token: second.token })).statusCode, 200)
  await app.queueAlarms()
  const alert = await smtp.next()
  t.strictSame([alert.reader, alert.subject], [user.email, 'New sign-in to your Gatehouse account'])
  await allSent(owner)
})

t.test('a code asked for 1,000 times: five mails, and the other ways to sign in stay open', async t => {
  const { app, owner, smtp, user, browser } = await setUp(t)
  const known = createBrowser(app)
  t.equal((await known.signIn(user.username)).statusCode, 200)
  const strangers = Array.from({ length: 20 }, () => createBrowser(app))
  const statuses = new Set<number>()
  // First one by one, so that each mail could be sent before the next request takes its place.
  for (const stranger of strangers) {
    statuses.add((await stranger.post('/login/mail', { email: user.email })).statusCode)
    await allSent(owner)
  }
  for (let round = 1; round < 50; round++) {
    const answers = await Promise.all(strangers.map(each => each.post('/login/mail', { email: user.email })))
    for (const { statusCode } of answers) statuses.add(statusCode)
  }
  t.strictSame([...statuses], [202])
  await allSent(owner)
  t.ok(smtp.mails.length >= 1 && smtp.mails.length <= 5, `${smtp.mails.length} mails`)
  t.equal((await browser.signIn(user.username)).statusCode, 200, 'the password')
  await allSent(owner)
  smtp.forget()
  const { code } = await askForMail(known, smtp, user.email)
  t.equal((await confirm(known, { code })).statusCode, 200, 'a browser that has signed in before still gets a mail')
})

t.test('a request beyond the limit of a mailbox does not end the code before', async t => {
  const { app, smtp, user } = await setUp(t)
  let last = { browser: createBrowser(app), code: '' }
  for (let each = 0; each < 5; each++) {
    const browser = createBrowser(app)
    last = { browser, code: (await askForMail(browser, smtp, user.email)).code }
  }
  t.equal((await createBrowser(app).post('/login/mail', { email: user.email })).statusCode, 202)
  t.equal((await last.browser.post('/login/mail', { email: user.email })).statusCode, 202)
  t.equal((await confirm(last.browser, { code: last.code })).statusCode, 200)
})

t.test('a request beyond the limit of a mailbox gets the same response, and tells nothing', async t => {
  const { app, owner, user } = await setUp(t)
  const shapeOf = ({ statusCode, body, headers }: Awaited<ReturnType<typeof browser.post>>) =>
    [statusCode, body, String(headers['set-cookie']).replace(/=[^;]+/, '')]
  const browser = createBrowser(app)
  const ask = (each: typeof browser) => each.post('/login/mail', { email: user.email })
  const first = await ask(browser)
  const cookie = browser.cookies.get('mail_sign_in')
  t.strictSame(shapeOf(await ask(browser)), shapeOf(first))
  t.equal(browser.cookies.get('mail_sign_in'), cookie, 'the value stays, within the limit')
  for (let each = 0; each < 5; each++) await ask(createBrowser(app))
  const newcomer = createBrowser(app)
  t.strictSame(shapeOf(await ask(newcomer)), shapeOf(first))
  t.ok(newcomer.cookies.get('mail_sign_in'))
  t.strictSame(shapeOf(await ask(browser)), shapeOf(first))
  t.equal(browser.cookies.get('mail_sign_in'), cookie, 'and beyond it')
  await allSent(owner)
})

t.test('two browsers at once: the request of a stranger does not end the code and the link of the owner', async t => {
  const { app, owner, smtp, user } = await setUp(t)
  const [first, second] = [createBrowser(app), createBrowser(app)]
  const former = await askForMail(first, smtp, user.email)
  const newest = await askForMail(first, smtp, user.email)
  await askForMail(second, smtp, user.email)
  t.equal((await confirm(first, { code: former.code })).statusCode, 401, 'the same browser asked again')
  t.equal((await confirm(second, { token: former.token })).statusCode, 400)
  t.match((await first.post('/login/mail/link', { token: newest.token })).json(), { askedHere: true })
  t.equal((await confirm(first, { code: newest.code })).statusCode, 200)
  await allSent(owner)
  smtp.forget()

  const browsers = [createBrowser(app), createBrowser(app)]
  await Promise.all(browsers.map(browser => browser.post('/login/mail', { email: user.email })))
  await allSent(owner)
  const codes = smtp.mails.map(mail => codeIn(mail))
  t.equal(codes.length, 2)
  for (const browser of browsers) {
    const statuses = []
    for (const code of codes) statuses.push((await confirm(browser, { code })).statusCode)
    t.equal(statuses.filter(status => status === 200).length, 1, 'each with its own')
  }
})

t.test('one code or link twenty times at once: one session', async t => {
  const { app, owner, smtp, user, browser } = await setUp(t)
  for (const kind of ['code', 'token'] as const) {
    const asked = await askForMail(browser, smtp, user.email)
    const cookie = browser.cookies.get('mail_sign_in') as string
    const answers = await Promise.all(Array.from({ length: 20 }, () => {
      const each = createBrowser(app)
      each.cookies.set('mail_sign_in', cookie)
      return confirm(each, kind === 'code' ? { code: asked.code } : { token: asked.token })
    }))
    t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1, kind)
    await allSent(owner)
    smtp.forget()
  }
})

t.test('an address that changes in between: what was sent to the former one is void', async t => {
  const { app, owner, smtp, user, browser } = await setUp(t)
  const { code, token } = await askForMail(browser, smtp, user.email)
  await owner.query("UPDATE users SET email = 'moved-' || email WHERE id = $1", [user.id])
  t.equal((await browser.post('/login/mail/link', { token })).statusCode, 400)
  t.equal((await confirm(browser, { code })).statusCode, 401)

  const again = createBrowser(app)
  const moved = await askForMail(again, smtp, `moved-${user.email}`)
  await owner.query('UPDATE users SET email = $2 WHERE id = $1', [user.id, user.email])
  const heir = await createUser(owner, { email: `moved-${user.email}` })
  t.equal((await confirm(again, { token: moved.token })).statusCode, 400, `nor for ${heir.username}, who has it now`)
})

t.test('an account that is disabled or deleted, or an address that gets an account, in between', async t => {
  const { app, owner, smtp, user, browser } = await setUp(t)
  const { code } = await askForMail(browser, smtp, user.email)
  await owner.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id])
  t.equal((await confirm(browser, { code })).statusCode, 401, 'disabled')

  const deleted = await createUser(owner)
  const former = createBrowser(app)
  const { code: codeOfDeleted } = await askForMail(former, smtp, deleted.email)
  await owner.query('DELETE FROM users WHERE id = $1', [deleted.id])
  t.equal((await confirm(former, { code: codeOfDeleted })).statusCode, 401, 'deleted')

  const newcomer = createBrowser(app)
  const { code: codeOfNew } = await askForMail(newcomer, smtp, 'newcomer@example.com')
  await createUser(owner, { email: 'newcomer@example.com' })
  t.equal((await confirm(newcomer, { code: codeOfNew })).statusCode, 401, 'has an account by now')

  const early = createBrowser(app)
  const { code: codeOfEarly } = await askForMail(early, smtp, 'early@example.com')
  t.equal((await confirm(early, { code: codeOfEarly })).statusCode, 202)
  await createUser(owner, { email: 'early@example.com' })
  t.equal((await early.post('/register/mail', { name: 'Early' })).statusCode, 401, 'while the name is typed')
})

t.test('MAIL_SIGN_IN=off: a code and a link from before are refused', async t => {
  const { app, smtp, user, browser } = await setUp(t)
  const { code, token } = await askForMail(browser, smtp, user.email)
  const { DATABASE_URL = '', MIGRATION_DATABASE_URL = '' } = app.config
  const { app: off } = await build(t, { settings: { DATABASE_URL, MIGRATION_DATABASE_URL, SMTP_URL: smtp.url } })
  const sameBrowser = createBrowser(off)
  for (const [name, value] of browser.cookies) sameBrowser.cookies.set(name, value)
  t.equal((await confirm(sameBrowser, { code })).statusCode, 403)
  t.equal((await confirm(sameBrowser, { token })).statusCode, 403)
  t.equal((await confirm(browser, { code })).statusCode, 200, 'where it is on')
})

t.test('the mail server is away: the user is told at once (503), and the code before stays valid', async t => {
  const smtp = await startSmtp(t)
  const { app, owner } = await build(t, { settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url } })
  const user = await createUser(owner)
  const browser = createBrowser(app)
  const { code } = await askForMail(browser, smtp, user.email)
  await smtp.stop()
  const other = createBrowser(app)
  const ask = (email: string) => other.post('/login/mail', { email })
  const unknown = await eventually(() => ask('nobody@example.com'), ({ statusCode }) => statusCode === 503)
  const refused = await ask(user.email)
  t.match(refused.json(), { error: 'Mail unavailable' })
  t.ok(refused.headers['retry-after'])
  t.equal(unknown.body, refused.body, 'the same for an address without an account')
  t.equal((await confirm(browser, { code })).statusCode, 200)
  await smtp.start()
  await eventually(() => ask(user.email), ({ statusCode }) => statusCode === 202)
})

t.test('the database has neither a code nor a link, and the queue has neither', async t => {
  const { owner, smtp, user, browser } = await setUp(t)
  const { code, token } = await askForMail(browser, smtp, user.email)
  const cookie = String(browser.cookies.get('mail_sign_in')).split('.')[0] as string
  const { rows } = await owner.query(`
    SELECT (SELECT json_agg(c) FROM mail_codes c)::text ||
      (SELECT json_agg(j.data) FROM pgboss.job j)::text AS everything`)
  const { everything } = rows[0]
  t.notMatch(everything, token)
  t.notMatch(everything, cookie)
  t.notMatch(everything, `"${code}"`)
  for (const value of [code, token]) {
    t.notMatch(everything, Buffer.from(value).toString('hex'))
  }
})
