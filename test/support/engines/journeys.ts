import type { Test } from 'tap'
import { secrets } from '../build.ts'
import { openService } from '../chromium.ts'
import { eventually } from '../patience.ts'
import type { Engine } from './engine.ts'
import { createVisitor, type Visitor } from './visitor.ts'

const [FIRST, SECOND] = ['gl4ss-Harmonica-7!', 'thr33-Umbrellas-sing'] as const
for (const password of [FIRST, SECOND]) secrets.add(password)

/** Two sites for every browser, without a setting of its own. */
const HOSTS = { host: 'localhost', providerHost: '127.0.0.1' }

/** What a person does with the pages, in any browser. */
export async function takeJourneys (t: Test, open: (t: Test) => Promise<Engine>) {
  const { url, smtp, owner } = await openService(t, { LIMIT_LOGIN_MAX: '2' }, HOSTS)
  const engine = await open(t)
  const page = createVisitor(await engine.newTab())
  const tokens = async () => (await engine.cookies()).filter(name => name.endsWith('_token')).sort()

  async function linkIn (subject: string): Promise<string> {
    for (;;) {
      const mail = await smtp.next()
      if (mail.subject?.includes(subject)) return mail.text?.match(/http\S+#token=\S+/)?.[0] ?? ''
    }
  }

  async function enter (visitor: Visitor, username: string, password: string) {
    await visitor.fill('#username', username)
    await visitor.fill('#password', password)
    await visitor.click('#login [type=submit]')
  }

  await t.test('register', async t => {
    await page.open(`${url}/register`)
    await page.fill('#username', 'ada')
    await page.fill('#email', 'ada@example.com')
    await page.fill('#full-name', 'Ada Lovelace')
    await page.fill('#new-password', 'Password1!')
    await page.see(/Strength: (very )?weak/, '#register')
    await page.fill('#new-password', FIRST)
    await page.see('Strength: very good', '#register')
    await page.click('#register [type=submit]')
    await page.see('Check your email')
    t.match(await page.text(), 'ada@example.com')
    t.equal(await page.run('document.activeElement.textContent'), 'Check your email', 'the heading has the focus')
  })

  await t.test('verify the address: the token leaves the address bar', async t => {
    await page.open(await linkIn('Confirm'))
    await page.see('Confirm my address')
    t.equal(await page.url(), `${url}/verify-email`)
    t.equal((await owner.query('SELECT FROM users WHERE email_verified_at IS NULL')).rowCount, 1)
    await page.click('#confirm [type=submit]')
    await page.arriveAt(`${url}/dashboard`)
    await page.see('ada@example.com')
    t.equal((await owner.query('SELECT FROM users WHERE email_verified_at IS NULL')).rowCount, 0)
  })

  await t.test('wrong password', async t => {
    await page.click('#sign-out')
    await page.see('You are signed out.')
    await owner.query('DELETE FROM refresh_tokens')
    await engine.deleteCookie('device')
    await page.open(`${url}/login`)
    await page.click('#login [type=submit]')
    await page.see('Please fill in this field.')
    await enter(page, 'ada', 'not it')
    await page.see('Username or password is incorrect.')
    t.equal(await page.run('document.activeElement.id'), 'password')
    t.strictSame(await tokens(), [])
  })

  await t.test('sign in: the dashboard', async t => {
    await enter(page, 'ada', FIRST)
    await page.arriveAt(`${url}/dashboard`)
    await page.see('ada@example.com')
    t.match(await page.text('.who'), 'Ada Lovelace')
    await page.click('#sections [data-to=devices]')
    await page.arriveAt(`${url}/dashboard/devices`)
    t.match(await page.text('#devices'), `${engine.device} This device`)
    t.match(await page.text('#events'), 'Email address confirmed')
    await page.click('#sections [data-to=security]')
    await page.see('Ways to sign in')
    await page.back()
    await page.see('Your devices')
    await page.open(`${url}/dashboard/devices`)
    await page.see('Your devices')
    await page.click('#sections [data-to=profile]')
    await page.click('#edit-name')
    await page.fill('#new-name', 'Ada King')
    await page.click('#change-name [type=submit]')
    await page.see('Your name has been changed.')
    t.match(await page.text('.who'), 'Ada King')
    await page.arriveAt(`${url}/dashboard`)
    t.strictSame(await tokens(), ['access_token', 'refresh_token'])
    t.notMatch(await page.run('document.cookie'), '_token', 'no script can read them')
  })

  const tab = createVisitor(await engine.newTab())
  await t.test('two tabs with an expired token: one refresh', async t => {
    await tab.open(`${url}/reset-password`)
    await tab.open(`${url}/dashboard`)
    await tab.see('ada@example.com')
    await engine.deleteCookie('access_token')
    t.strictSame(await tokens(), ['refresh_token'])
    for (const each of [page, tab]) await each.run("dispatchEvent(new Event('online'))")
    await eventually(tokens, names => names.length === 2)
    for (const each of [page, tab]) t.match(await each.text('.who'), 'Ada King')
    const { rows } = await owner.query('SELECT generation FROM refresh_tokens WHERE revoked_at IS NULL')
    t.strictSame(rows, [{ generation: 1 }])
  })

  await t.test('sign out: in both tabs, and the back button shows nothing private', async t => {
    await page.bringToFront()
    await page.open(`${url}/reset-password`)
    await tab.bringToFront()
    await tab.click('#sign-out')
    await tab.arriveAt(`${url}/login?reason=signed-out`)
    await tab.see('You are signed out.')
    t.strictSame(await tokens(), [])
    for (const each of [page, tab]) {
      await each.bringToFront()
      await each.back()
      await each.arriveAt(/^(?!.*\/dashboard)/)
      t.notMatch(await each.text(), /Ada|ada@example\.com/)
    }
  })

  await t.test('reset the password', async t => {
    await page.bringToFront()
    await page.open(`${url}/login`)
    await page.click('a[href="/reset-password"]')
    await page.arriveAt(`${url}/reset-password`)
    await page.fill('#email', 'ada@example.com')
    await page.click('#ask [type=submit]')
    await page.see('Check your email')
    await page.open(await linkIn('Choose a new password'))
    await page.fill('#new-password', SECOND)
    t.equal(await page.url(), `${url}/reset-password`)
    await page.click('#choose [type=submit]')
    await page.see('Your password has been changed')
    await page.open(`${url}/login`)
    await enter(page, 'ada', SECOND)
    await page.see('ada@example.com')
  })

  await t.test('sign in with a provider on another site', async t => {
    await page.click('#sign-out')
    await page.see('You are signed out.')
    await page.click('a[href^="/api/auth/provider-a"]')
    await page.arriveAt(/^http:\/\/127\.0\.0\.1:\d+\/interaction\//)
    await page.click('button[value=continue]')
    // The first request after the click carries no Strict cookies: the page must find the session by itself.
    await page.arriveAt(`${url}/dashboard`)
    await page.see('ada@example.org')
    await page.open(`${url}/login`)
    await page.arriveAt(`${url}/dashboard`)
    await page.click('#sign-out')
    await page.see('You are signed out.')
  })

  await t.test('too many attempts: a countdown', async t => {
    for (const answer of ['is incorrect', 'is incorrect', 'You can try again in ']) {
      await page.open(`${url}/login`)
      await enter(page, 'ada', 'not it')
      await page.see(answer, '#login [role=alert]')
    }
    t.match(await page.text('#login [role=alert]'), /Too many attempts\. You can try again in 1[45]:\d\d\./)
    const first = await page.text('#login [role=alert]')
    await eventually(() => page.text('#login [role=alert]'), words => words !== first)
    t.equal(await page.run("document.querySelector('#login [type=submit]').getAttribute('aria-disabled')"), 'true')
    t.strictSame(await tokens(), [])
  })
}
