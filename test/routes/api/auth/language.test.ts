import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../../../support/browser.ts'
import { buildShared } from '../../../support/build.ts'
import { shareSmtp } from '../../../support/smtp.ts'

async function setUp (t: Test) {
  const smtp = await shareSmtp(t)
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, SMTP_URL: smtp.url } })
  const languageOf = async (username: string) =>
    (await owner.query('SELECT language FROM users WHERE username = $1', [username])).rows[0]?.language
  return { app, owner, smtp, languageOf, browser: createBrowser(app) }
}

const GERMAN = { 'accept-language': 'de-AT,de;q=0.9' }

t.test('POST /register: mails are in the language of the browser', async t => {
  const { browser, smtp, languageOf } = await setUp(t)
  const ada = { username: 'ada', email: 'ada@example.com', password: PASSWORD }
  await browser.send('POST', '/register', ada, GERMAN)
  t.match(await smtp.next(), { subject: /^Bestätigen Sie/, html: /<html lang="de" dir="ltr"/ })
  t.equal(await languageOf('ada'), 'de')
})

t.test('POST /register: a browser with another language, mails in English', async t => {
  const { browser, smtp, languageOf } = await setUp(t)
  const ada = { username: 'ada', email: 'ada@example.com', password: PASSWORD }
  await browser.send('POST', '/register', ada, { 'accept-language': 'fi' })
  t.match(await smtp.next(), { subject: /^Confirm your email/ })
  t.equal(await languageOf('ada'), null)
})

t.test('GET /login?language: kept in a cookie, used for pages, mails and the account', async t => {
  const { app, owner, browser, smtp, languageOf } = await setUp(t)
  const user = await createUser(owner)
  const chosen = await browser.get('/login?language=de&next=/x')
  t.match(chosen.body, /lang="de"[^]+<h1>Anmelden<\/h1>/)
  t.match(chosen.cookies, [{ name: 'gatehouse_language', value: 'de', path: '/', httpOnly: true, sameSite: 'Lax' }])
  t.match((await browser.send('GET', '/login', undefined, { 'accept-language': 'en' })).body, '<h1>Anmelden</h1>')

  await browser.signIn(user.username)
  t.equal(await languageOf(user.username), 'de')
  await createBrowser(app).send('POST', '/login', { username: user.username, password: PASSWORD }, GERMAN)
  await app.queueAlarms()
  t.match(await smtp.next(), { subject: /^Neue Anmeldung/ })
})

t.test('POST /login: the language of a browser does not replace one that is kept', async t => {
  const { browser, owner, languageOf } = await setUp(t)
  const user = await createUser(owner)
  await browser.send('POST', '/login', { username: user.username, password: PASSWORD }, { 'accept-language': 'en' })
  t.equal(await languageOf(user.username), 'en')
  await browser.send('POST', '/login', { username: user.username, password: PASSWORD }, GERMAN)
  t.equal(await languageOf(user.username), 'en')
  await browser.get('/login?language=de')
  await browser.signIn(user.username)
  t.equal(await languageOf(user.username), 'de')
})

for (const query of ['language=xx', 'language=', 'language=constructor', 'language=de&language=en', 'language[]=de']) {
  t.test(`GET /login?${query}: ignored (200)`, async t => {
    const { app } = await setUp(t)
    const { statusCode, body, cookies } = await app.inject(`/login?${query}`)
    t.equal(statusCode, 200)
    t.match(body, '<html lang="en"')
    t.strictSame(cookies, [])
  })
}

t.test('a language cookie with another value is ignored', async t => {
  const { app } = await setUp(t)
  for (const value of ['xx', '__proto__', '%00', 'DE', '../texts/de']) {
    const { statusCode, body } = await app.inject({ url: '/login', headers: { cookie: `gatehouse_language=${value}` } })
    t.equal(statusCode, 200)
    t.match(body, '<html lang="en"', value)
  }
})

t.test('PUT /api/auth/language: with a session and a CSRF token (204), without (401, 403), unknown (400)', async t => {
  const { browser, owner, languageOf } = await setUp(t)
  const user = await createUser(owner)
  t.equal((await browser.send('PUT', '/api/auth/language', { language: 'de' })).statusCode, 401)
  await browser.signIn(user.username)
  t.equal((await browser.send('PUT', '/api/auth/language', { language: 'de' })).statusCode, 403)
  t.equal((await browser.guarded('PUT', '/api/auth/language', { language: 'xx' })).statusCode, 400)
  t.not(await languageOf(user.username), 'de')
  t.equal((await browser.guarded('PUT', '/api/auth/language', { language: 'de' })).statusCode, 204)
  t.equal(await languageOf(user.username), 'de')
})
