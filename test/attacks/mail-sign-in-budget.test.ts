// Ways around the limit of wrong codes. test/attacks/mail-code-guesses.test.ts has the calculation.
import t, { type Test } from 'tap'
import type { User } from '../../plugins/records/accounts/users.ts'
import { type Browser, createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build, buildShared, type pg } from '../support/build.ts'
import { allSent } from '../support/held-mails.ts'
import { askForMail, codeIn, confirm, WITH_MAIL, wrongCode } from '../support/mail-sign-in.ts'
import { shareSmtp, startSmtp } from '../support/smtp.ts'

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const shared = await buildShared(t, { settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url } })
  return { ...shared, smtp }
}

type Smtp = Awaited<ReturnType<typeof startSmtp>>

/** Asks for a change to the address of another person, tries five codes and deletes the account. Returns the code. */
async function guessByChange (app: Parameters<typeof createBrowser>[0], owner: pg.Pool, smtp: Smtp, victim: string) {
  const { username } = await createUser(owner)
  const attacker = createBrowser(app)
  await attacker.signIn(username)
  await allSent(owner)
  smtp.forget()
  await attacker.guarded('POST', '/api/auth/email', { email: victim })
  await allSent(owner)
  const code = codeIn(smtp.mails.find(({ reader }) => reader === victim) ?? { text: '' })
  for (let each = 1; each <= 5; each++) {
    await attacker.guarded('POST', '/api/auth/email/confirm', { code: wrongCode(code || '000000', each) })
  }
  const deleted = await attacker.guarded('DELETE', '/api/auth/me', { password: PASSWORD })
  if (deleted.statusCode !== 204) throw new Error(deleted.body)
  return code
}

t.test('a change to the address of another person: deleting the account gives no tries back', async t => {
  const { app, owner, smtp } = await setUp(t)
  const victim = 'victim@example.org'
  t.match(await guessByChange(app, owner, smtp, victim), /^\d{6}$/)
  t.equal(await guessByChange(app, owner, smtp, victim), '', 'the next account gets no code')
  t.equal((await askForMail(createBrowser(app), smtp, victim)).code, '', 'nor does a sign-in')
})

t.test('EMAIL_VERIFICATION=off: registered with the address of another person, guessed and deleted', async t => {
  const smtp = await startSmtp(t)
  const { app } = await build(t, {
    settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url, EMAIL_VERIFICATION: 'off' },
  })
  const codes: string[] = []
  for (const username of ['first', 'second', 'third']) {
    const attacker = createBrowser(app)
    await attacker.post('/register', { username, email: 'victim@example.org', password: PASSWORD })
    const { code } = await askForMail(attacker, smtp, 'victim@example.org')
    codes.push(code)
    for (let each = 1; each <= 5; each++) await confirm(attacker, { code: wrongCode(code || '000000', each) })
    await attacker.signIn(username)
    t.equal((await attacker.guarded('DELETE', '/api/auth/me', { password: PASSWORD })).statusCode, 204)
  }
  t.match(codes, [/^\d{6}$/, '', ''])
})

/** An account without a password, and a browser that is signed in to it. */
async function registerByMail (app: Parameters<typeof createBrowser>[0], smtp: Smtp, email: string, username: string) {
  const browser = createBrowser(app)
  const { code } = await askForMail(browser, smtp, email)
  await confirm(browser, { code })
  await browser.post('/register/mail', { name: username, username })
  return browser
}

async function signInByMail (browser: Browser, smtp: Smtp, owner: pg.Pool, email: string) {
  const { code } = await askForMail(browser, smtp, email)
  const answer = await confirm(browser, { code })
  await allSent(owner)
  smtp.forget()
  return answer
}

t.test('browsers that have signed in before share their tries', async t => {
  const { app, owner, smtp } = await setUp(t)
  const { username, email } = await createUser(owner)
  const browsers = Array.from({ length: 3 }, () => createBrowser(app))
  for (const browser of browsers) await browser.signIn(username)
  await allSent(owner)
  smtp.forget()
  const codes: string[] = []
  for (const browser of browsers) {
    const { code } = await askForMail(browser, smtp, email)
    codes.push(code)
    for (let each = 1; each <= 5; each++) await confirm(browser, { code: wrongCode(code || '000000', each) })
  }
  t.match(codes, [/^\d{6}$/, '', ''])
  t.match((await askForMail(createBrowser(app), smtp, email)).code, /^\d{6}$/, 'and leave those of others')
})

t.test('signing out everywhere ends the browsers that are known to an account without a password', async t => {
  const { app, owner, smtp } = await setUp(t)
  const email = 'known@example.org'
  const own = await registerByMail(app, smtp, email, 'known')
  const intruder = createBrowser(app)
  t.equal((await signInByMail(intruder, smtp, owner, email)).statusCode, 200)
  t.equal((await own.guarded('DELETE', '/api/auth/sessions')).statusCode, 204)
  t.equal((await own.get('/api/auth/me')).statusCode, 200)

  const isKnown = async (browser: Browser) => {
    await askForMail(browser, smtp, email)
    const { rows } = await owner.query('SELECT known FROM mail_codes ORDER BY created_at DESC LIMIT 1')
    return rows[0].known
  }
  t.equal(await isKnown(intruder), false)
  t.equal(await isKnown(own), true, 'except the one that did it')
  const { rows } = await owner.query('SELECT id FROM users WHERE email = $1', [email])
  await app.administration.endSessions(await app.users.findById(rows[0].id) as User)
  t.equal(await isKnown(own), false, 'an operator ends all')
})

t.test('five wrong codes to confirm the identity: the user is told that there is no other one (429)', async t => {
  const { app, owner, smtp } = await setUp(t)
  const browser = await registerByMail(app, smtp, 'identity@example.org', 'identity')
  await owner.query("UPDATE refresh_tokens SET signed_in_at = now() - interval '1 hour', auth_time = NULL")
  const ask = () => browser.guarded('POST', '/api/auth/reauthenticate/mail')
  t.equal((await ask()).statusCode, 202)
  const code = codeIn(await smtp.next())
  for (let each = 1; each <= 5; each++) {
    await browser.guarded('POST', '/api/auth/reauthenticate', { code: wrongCode(code, each) })
  }
  await allSent(owner)
  smtp.forget()
  const refused = await ask()
  t.match(refused, { statusCode: 429, body: /link of a mail/ })
  t.ok(Number(refused.headers['retry-after']) > 13 * 24 * 3_600)
  await allSent(owner)
  t.strictSame(smtp.mails, [])
})
