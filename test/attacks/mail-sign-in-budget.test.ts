// Ways around the limit of wrong codes. test/attacks/mail-code-guesses.test.ts has the calculation.
import t, { type Test } from 'tap'
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
