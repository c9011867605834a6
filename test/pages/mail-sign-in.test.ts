import t from 'tap'
import en from '../../pages/texts/en.js'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { codeIn, WITH_MAIL, wrongCode } from '../support/mail-sign-in.ts'
import { violations } from '../support/pages/axe.ts'
import { addTotp, codeOf } from '../support/second-factor.ts'

t.test('/login/mail', { skip: withoutChromium }, async t => {
  const { url, owner, smtp } = await openService(t, WITH_MAIL)
  const browser = await startChromium()
  const calm = { reducedMotion: 'reduce' } as const

  async function visit (path = '/login/mail') {
    const person = await newPerson(t, browser, calm)
    person.expect('401 /login/mail/confirm', '400 /login/mail/link')
    const page = await person.newPage()
    await page.goto(url + path)
    return page
  }

  /** The mail with a code for this address. Others tell of sign-ins in new browsers. */
  async function mailWithCode (email: string) {
    for (;;) {
      const mail = await smtp.next()
      if (mail.reader === email && mail.token) return mail
    }
  }

  async function ask (email: string) {
    const page = await visit()
    await page.locator('#email').fill(email)
    await page.locator('#ask button[type=submit]:enabled').click()
    await page.locator('#enter').waitFor()
    return { page, mail: await mailWithCode(email) }
  }

  await t.test('from the login page, with the address that was typed there; a pasted code signs in', async t => {
    const user = await createUser(owner)
    const page = await visit('/login?next=/dashboard/devices')
    await page.locator('#login button[type=submit]:enabled').waitFor()
    t.ok(await page.locator('#password-field[data-away]').count(), 'one field first')
    await page.keyboard.press('Tab')
    t.not(await page.evaluate('document.activeElement.id'), 'password', 'out of the way of the keyboard')
    t.equal(await page.locator('#login button[type=submit]').innerText(), en.secondStep.submit)
    t.strictSame(await violations(page), [])
    await page.locator('#username').fill(user.email)
    await page.locator('#login button[type=submit]').click()
    await page.locator('#password-field:not([data-away])').waitFor()
    t.equal(await page.evaluate('document.activeElement.id'), 'password', 'ready for the password')
    t.equal(await page.locator('#login button[type=submit]').innerText(), en.login.submit)
    t.strictSame(await violations(page), [])
    await page.locator('#use-mail').click()
    await page.waitForURL('**/login/mail?next=*')
    await page.locator('#ask button[type=submit]:enabled').waitFor()
    t.equal(await page.locator('#email').inputValue(), user.email)
    t.strictSame(await violations(page), [])
    await page.locator('#ask button[type=submit]').click()
    await page.locator('#enter').waitFor()
    const code = codeIn(await mailWithCode(user.email))
    t.equal(await page.locator('#address').innerText(), user.email)
    t.match(await page.locator('#wait').innerText(), /\d:\d\d/, 'a countdown')
    const input = page.locator('#mail-code')
    t.equal(await input.getAttribute('autocomplete'), 'one-time-code')
    t.strictSame(await violations(page), [])

    await input.fill(wrongCode(code))
    await page.getByText(en['mail-sign-in'].wrong).waitFor()
    await input.fill(` ${code.slice(0, 3)} ${code.slice(3)} `)
    await page.locator('#offer-passkey').waitFor()
    t.strictSame(await violations(page), [])
    await page.locator('#not-now').click()
    await page.waitForURL('**/dashboard/devices')

    // What the dashboard still asks for would be refused.
    await page.waitForLoadState('networkidle')
    await page.context().clearCookies({ name: /_token$/ })
    await page.goto(`${url}/login`)
    await page.locator('#login button[type=submit]:enabled').waitFor()
    await page.locator('#username').fill(user.username)
    await page.locator('#username').press('Enter')
    await page.locator('#use-mail').waitFor()
    t.equal(await page.evaluate('document.activeElement.id'), 'use-mail', 'as last time in this browser')
    await page.locator('#password').fill(PASSWORD)
    await page.locator('#login button[type=submit]').click()
    await page.waitForURL('**/dashboard')
  })

  await t.test('the login page: the same steps for a name that no account has, and a filled-in password', async t => {
    const user = await createUser(owner)
    const page = await visit('/login')
    await page.locator('#login button[type=submit]:enabled').waitFor()
    await page.locator('#username').fill('nobody@example.org')
    await page.locator('#username').press('Enter')
    await page.locator('#use-mail').waitFor()
    t.notOk(await page.locator('#password-field[data-away]').count())

    await page.reload()
    await page.locator('#login button[type=submit]:enabled').waitFor()
    await page.locator('#username').fill(user.username)
    await page.locator('#password').fill(PASSWORD)
    t.equal(await page.locator('#login button[type=submit]').innerText(), en.login.submit)
    await page.locator('#login button[type=submit]').click()
    await page.waitForURL('**/dashboard')
  })

  await t.test('the login page: a password manager that fills it in before the script runs', async t => {
    const user = await createUser(owner)
    const page = await visit('/reset-password')
    const { promise: filled, resolve: goOn } = Promise.withResolvers<void>()
    await page.route('**/*.js', async route => {
      await filled
      await route.continue()
    })
    await page.goto(`${url}/login`, { waitUntil: 'commit' })
    await page.locator('#username').fill(user.username)
    await page.locator('#password').fill(PASSWORD)
    goOn()
    await page.getByRole('button', { name: en.login.submit, exact: true }).click()
    await page.waitForURL('**/dashboard')
  })

  await t.test('the link on another device names the account and waits for a click', async t => {
    const user = await createUser(owner)
    const { mail } = await ask(user.email)
    const page = await visit(`/login/mail#token=${mail.token}`)
    await page.locator('#link button[type=submit]:enabled').waitFor()
    t.match(await page.locator('#account').innerText(), user.username)
    t.ok(await page.getByText(en['mail-sign-in'].notAsked).isVisible())
    t.notMatch(page.url(), mail.token, 'the token leaves the address')
    t.strictSame(await violations(page), [])
    await page.locator('#link button[type=submit]').click()
    await page.locator('#not-now').click()
    await page.waitForURL('**/dashboard')

    const late = await visit(`/login/mail#token=${mail.token}`)
    await late.getByText(en['mail-sign-in'].invalid).waitFor()
    t.equal(await late.locator('#account').innerText(), '')
  })

  await t.test('an account with a second factor is asked for it', async t => {
    const user = await createUser(owner)
    const { secret } = await addTotp(owner, user.id)
    const { page, mail } = await ask(user.email)
    await page.locator('#mail-code').fill(codeIn(mail))
    await page.waitForURL('**/login?second_factor=*')
    await page.locator('#code').fill(codeOf(secret))
    await page.locator('#second-submit:enabled').click()
    await page.waitForURL('**/dashboard')
  })

  await t.test('a new account: one field, one code, then a name', async t => {
    const { page, mail } = await ask('ada@example.org')
    await page.locator('#mail-code').fill(codeIn(mail))
    await page.locator('#new-account').waitFor()
    t.strictSame(await violations(page), [])
    await page.locator('#full-name').fill('Ada Lovelace')
    await page.locator('#new-account button[type=submit]:enabled').click()
    t.match(await page.locator('#add-passkey').getAttribute('href'), '#add-passkey', 'a passkey is offered')
    await page.locator('#not-now').click()
    await page.waitForURL('**/dashboard')
    await page.getByText('ada.lovelace').first().waitFor()
  })

  await t.test('the registration and a change of address take a code', async t => {
    const page = await visit('/register')
    await page.locator('#register button[type=submit]:enabled').waitFor()
    await page.locator('#username').fill('grace')
    await page.locator('#email').fill('grace@example.org')
    await page.locator('#new-password').fill(PASSWORD)
    await page.locator('#register button[type=submit]').click()
    await page.locator('#sent').waitFor()
    await page.locator('#mail-code').fill(codeIn(await mailWithCode('grace@example.org')))
    await page.waitForURL('**/dashboard')

    await page.locator('#edit-email').click()
    await page.locator('#new-email').fill('hopper@example.org')
    await page.locator('#change-email button[type=submit]:enabled').click()
    await page.locator('#confirm-email').waitFor()
    await page.locator('#mail-code').fill(codeIn(await mailWithCode('hopper@example.org')))
    await page.getByText(en['verify-email'].changed).waitFor()
    await page.getByText('hopper@example.org').first().waitFor()
  })
})
