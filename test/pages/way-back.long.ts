import t, { type Test } from 'tap'
import type { Browser, Page } from 'playwright-core'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium, type Service } from '../support/chromium.ts'
import { addTotp } from '../support/second-factor.ts'

// `next` of the login page is opened at the end, whatever way the user takes.

const NEXT = '/register?from=app&x=1#part'
const LOGIN = `/login?${new URLSearchParams({ next: NEXT })}`

const linkIn = (text = '') => text.match(/http\S+#token=\S+/)?.[0] ?? ''

async function arrive (t: Test, browser: Browser, { url }: Service) {
  const person = await newPerson(t, browser)
  const page = await person.newPage()
  await page.goto(url + LOGIN)
  return { person, page }
}

async function register (page: Page, username: string) {
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Email').fill(`${username}@example.com`)
  await page.locator('#new-password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
}

async function signIn (page: Page, username: string, password = PASSWORD) {
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

t.test('`next` of the login page', { skip: withoutChromium }, async t => {
  const service = await openService(t)
  const { url, owner, smtp, app } = service
  const browser = await startChromium()

  await t.test('a new account: the link in the mail signs in and leads on, in the browser that registered', async t => {
    const { page } = await arrive(t, browser, service)
    await register(page, 'ada')
    // From the mail program, which is another site.
    await page.goto('about:blank')
    await page.goto(linkIn((await smtp.next()).text))
    await page.getByRole('button', { name: 'Confirm my address' }).click()
    await page.waitForURL(url + NEXT)
    await page.goto(`${url}/dashboard`)
    await page.getByText('ada@example.com').first().waitFor()
  })

  await t.test('a new account, confirmed in another browser, which then signs in', async t => {
    const { page } = await arrive(t, browser, service)
    await register(page, 'grace')
    await page.getByRole('button', { name: 'send it again' }).click()
    await smtp.next()
    const link = linkIn((await smtp.next()).text)
    const other = await (await newPerson(t, browser)).newPage()
    await other.goto(link)
    await other.getByRole('button', { name: 'Confirm my address' }).click()
    await other.getByRole('heading', { name: 'Your email address is confirmed' }).waitFor()
    await other.getByRole('link', { name: 'Go to sign-in' }).click()
    await signIn(other, 'grace')
    await other.waitForURL(url + NEXT)
  })

  await t.test('an unsafe path in the link of a mail leads to the dashboard', async t => {
    const { page } = await arrive(t, browser, service)
    await register(page, 'eve')
    const link = new URL(linkIn((await smtp.next()).text))
    const values = new URLSearchParams(link.hash.slice(1))
    values.set('next', '//evil.example')
    link.hash = String(values)
    await page.goto(link.href)
    await page.getByRole('button', { name: 'Confirm my address' }).click()
    await page.waitForURL(`${url}/dashboard`)
  })

  await t.test('an account that is not confirmed: the sign-in page leads to a new link, after any refusal', async t => {
    await createUser(owner, { username: 'stuck', email_verified_at: null })
    for (const username of ['stuck', 'nobody']) {
      const { page, person } = await arrive(t, browser, service)
      person.expect('401 /login')
      const again = page.getByRole('link', { name: 'Send the confirmation again' })
      t.notOk(await again.isVisible())
      await signIn(page, username)
      await again.click()
      await page.getByLabel('Email').fill(`${username}@example.com`)
      await page.getByRole('button', { name: 'Send a new link' }).click()
      await page.getByText('a new link is on its way').waitFor()
    }
    const mail = await smtp.next()
    t.equal(mail.reader, 'stuck@example.com')
    const other = await (await newPerson(t, browser)).newPage()
    await other.goto(linkIn(mail.text))
    await other.getByRole('button', { name: 'Confirm my address' }).click()
    await other.getByRole('link', { name: 'Go to sign-in' }).click()
    await signIn(other, 'stuck')
    await other.waitForURL(url + NEXT)
  })

  await t.test('a forgotten password', async t => {
    const user = await createUser(owner)
    const { page } = await arrive(t, browser, service)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('Email').fill(user.email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    await page.goto(linkIn((await smtp.next()).text))
    await page.getByLabel('New password').fill('gl4ss-Harmonica-7!')
    await page.getByRole('button', { name: 'Save the new password' }).click()
    await page.getByRole('heading', { name: 'Your password has been changed' }).waitFor()
    await smtp.next()
    await page.getByRole('link', { name: 'Go to sign-in' }).click()
    await signIn(page, user.username, 'gl4ss-Harmonica-7!')
    await page.waitForURL(url + NEXT)
  })

  await t.test('a provider, and a provider followed by the second step', async t => {
    const { page, person } = await arrive(t, browser, service)
    const throughProvider = async () => {
      await page.getByRole('link', { name: 'Continue with provider.example' }).first().click()
      await page.locator('button[value=continue]').click()
    }
    await throughProvider()
    await page.waitForURL(url + NEXT)

    const user = await app.users.findByEmail('ada@example.org')
    const { freshCode } = await addTotp(owner, String(user?.id))
    await page.goto('about:blank')
    await person.context.clearCookies()
    await page.goto(url + LOGIN)
    await throughProvider()
    await page.getByLabel('Code', { exact: true }).fill(await freshCode())
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.waitForURL(url + NEXT)
  })

  await t.test('the links between the pages', async t => {
    const page = await (await newPerson(t, browser)).newPage()
    const hrefs = async (path: string) => {
      await page.goto(url + path)
      await page.locator('button[type=submit]:enabled:visible').first().waitFor()
      return page.locator('main a').evaluateAll(links => links.map(link => (link as HTMLAnchorElement).href))
    }
    const query = LOGIN.replace('/login', '')
    const isPage = (href: string) => /^\/(login|register|reset-password)$/.test(new URL(href).pathname)
    for (const path of ['/register', '/reset-password', '/verify-email']) {
      const found = (await hrefs(path + query)).filter(isPage)
      t.ok(found.length > 0)
      for (const href of found) t.equal(new URL(href).search, query, `${path}: ${href}`)
      for (const href of (await hrefs(`${path}?next=//evil.example`)).filter(isPage)) {
        t.equal(new URL(href).search, '', `${path}: ${href}`)
      }
    }
  })
})
