// Guesses at the six digits of a sign-in mail. docs/security-decisions.md has the calculation.
import t, { type Test } from 'tap'
import { LIMITS } from '../../src/limits/registry.ts'
import { type Browser, createBrowser, createUser, NO_LIMITS } from '../support/browser.ts'
import { build, buildShared, type pg } from '../support/build.ts'
import { allSent } from '../support/held-mails.ts'
import { askForMail, codeIn, confirm, WITH_MAIL, wrongCode } from '../support/mail-sign-in.ts'
import { shareSmtp, startSmtp } from '../support/smtp.ts'

const CODES = 1_000_000
const ONE_IN_A_MILLION = 1 / 1_000_000

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const shared = await buildShared(t, { settings: { ...NO_LIMITS, ...WITH_MAIL, SMTP_URL: smtp.url } })
  const user = await createUser(shared.owner)
  return { ...shared, smtp, user, browser: createBrowser(shared.app) }
}

/** As if so much time had passed. */
const age = (owner: pg.Pool, interval: string) => owner.query(
  'UPDATE mail_code_guesses SET since = since - $1::interval', [interval])

t.test('five tries for a code, however many come at once', async t => {
  const { app, owner, smtp, user, browser } = await setUp(t)
  const { code } = await askForMail(browser, smtp, user.email)
  const cookie = browser.cookies.get('mail_sign_in') as string
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => {
    const each = createBrowser(app)
    each.cookies.set('mail_sign_in', cookie)
    return confirm(each, { code: wrongCode(code, index + 1) })
  }))
  t.ok(answers.every(({ statusCode }) => statusCode === 401))
  const { rows } = await owner.query('SELECT tries FROM mail_codes WHERE email = $1', [user.email])
  t.equal(rows[0].tries, 5)
  t.equal((await confirm(browser, { code })).statusCode, 401, 'the right one, too late')
})

t.test('four wrong tries and the right one sign in, and do not count', async t => {
  const { owner, smtp, user, browser } = await setUp(t)
  for (let week = 0; week < 2; week++) {
    const { code } = await askForMail(browser, smtp, user.email)
    for (let each = 1; each <= 4; each++) {
      t.equal((await confirm(browser, { code: wrongCode(code, each) })).statusCode, 401)
    }
    t.equal((await confirm(browser, { code })).statusCode, 200)
  }
  const { rows } = await owner.query(
    "SELECT wrong FROM mail_code_guesses WHERE address = sha256(convert_to($1, 'UTF8'))", [user.email])
  t.ok(rows.length > 0 && rows.every(({ wrong }) => wrong === 0))
})

t.test('four weeks of guesses, from many browsers, also known ones: under one in a million a day', async t => {
  const { app, owner, smtp, user } = await setUp(t)
  const DAYS = 28
  let guesses = 0

  /** Counts the tries at the newest code of the address that were compared with it. */
  async function count () {
    const { rows } = await owner.query(
      'SELECT tries FROM mail_codes WHERE email = $1 ORDER BY created_at DESC LIMIT 1', [user.email])
    guesses += rows[0].tries
  }

  async function newestCode () {
    await allSent(owner)
    return codeIn(smtp.mails.findLast(mail => mail.reader === user.email) ?? { text: '' }) || '000000'
  }

  async function guess (attacker: Browser) {
    // The limits of mails would stop most of it before.
    await app.counters.clear(LIMITS.signInMails.key(user.email))
    const known = attacker.cookies.get('device')?.split('.')[0]
    if (known) await app.counters.clear(LIMITS.signInMails.key(user.email, known))
    await attacker.post('/login/mail', { email: user.email })
    const code = await newestCode()
    const cookie = attacker.cookies.get('mail_sign_in') as string
    for (let each = 1; each <= 6; each++) {
      const another = createBrowser(app)
      another.cookies.set('mail_sign_in', cookie)
      t.equal((await confirm(another, { code: wrongCode(code, each) })).statusCode, 401)
    }
    await count()
  }

  const known = [createBrowser(app), createBrowser(app)]
  for (const browser of known) await browser.signIn(user.username)
  for (let day = 0; day < DAYS; day += 2) {
    await guess(createBrowser(app))
    if (day % 14 === 0) for (const browser of known) await guess(browser)
    await age(owner, '2 days')
  }
  t.equal(guesses, 20, 'ten in fourteen days')
  t.ok(guesses / CODES / DAYS < ONE_IN_A_MILLION, `${guesses} guesses in ${DAYS} days`)

  const mail = smtp.mails.findLast(({ reader }) => reader === user.email)
  t.equal(codeIn(mail ?? { text: '' }), '', 'meanwhile the mails have no code')
  t.match(mail?.token, /./, 'but a link')
  t.equal((await confirm(createBrowser(app), { token: mail?.token ?? '' })).statusCode, 200)
})

t.test('guesses of strangers do not take the code from a browser that has signed in before', async t => {
  const { app, smtp, user, browser } = await setUp(t)
  await browser.signIn(user.username)
  const attacker = createBrowser(app)
  const asked = await askForMail(attacker, smtp, user.email)
  for (let each = 1; each <= 6; each++) await confirm(attacker, { code: wrongCode(asked.code, each) })
  t.equal((await askForMail(createBrowser(app), smtp, user.email)).code, '', 'a mail with the link alone')

  const { code } = await askForMail(browser, smtp, user.email)
  await attacker.post('/login/mail', { email: user.email })
  t.equal((await confirm(browser, { code })).statusCode, 200)
  t.equal((await createBrowser(app).signIn(user.username)).statusCode, 200, 'nor the password from any')
})

t.test('wrong codes count for the client address (429)', async t => {
  const smtp = await startSmtp(t)
  const { app, owner } = await build(t, { settings: { ...WITH_MAIL, SMTP_URL: smtp.url } })
  const statuses: number[] = []
  const address = '203.0.113.7'
  for (let each = 0; each < 4; each++) {
    const user = await createUser(owner)
    const browser = createBrowser(app, { address })
    const { code } = await askForMail(browser, smtp, user.email)
    for (let wrong = 1; wrong <= 2; wrong++) {
      statuses.push((await confirm(browser, { code: wrongCode(code, wrong) })).statusCode)
    }
  }
  t.strictSame(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
  const user = await createUser(owner)
  t.equal((await createBrowser(app, { address }).signIn(user.username)).statusCode, 200, 'passwords are counted apart')
})
