import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Page } from 'playwright-core'
import en from '../../pages/texts/en.js'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

const met = (page: Page) =>
  page.locator('[data-met]').evaluateAll(items => items.map(item => item.getAttribute('data-rule')))
const verdict = (page: Page) => page.locator('.verdict').innerText()

t.test('/register', { skip: withoutChromium }, async t => {
  const { url, owner, smtp } = await openService(t)
  const browser = await startChromium(t)

  const person = await newPerson(t, browser)
  const page = await person.newPage()

  async function open (page: Page) {
    await page.goto(`${url}/register`)
    await page.locator('#register button[type=submit]:enabled').waitFor()
    return { password: page.locator('#new-password'), submit: page.locator('#register button[type=submit]') }
  }

  await t.test('rules are ticked off one by one, the strength is shown in words', async t => {
    const { password } = await open(page)
    const STEPS: Array<[typed: string, rules: string[]]> = [
      ['a', ['lowercase']],
      ['A', ['lowercase', 'uppercase']],
      ['1', ['lowercase', 'uppercase', 'digit']],
      ['!', ['lowercase', 'uppercase', 'digit', 'special']],
      ['xyzw', ['length', 'lowercase', 'uppercase', 'digit', 'special']],
    ]
    for (const [typed, rules] of STEPS) {
      await password.pressSequentially(typed)
      t.strictSame(await met(page), rules)
    }
    t.match(await page.locator('[data-rule=length]').innerText(), /^met:\s+at least 8 characters$/)
    await password.fill('Password1!')
    await eventually(
      () => verdict(page),
      words => /^Strength: (very )?weak\. .*common(ly used)? password\.$/.test(words),
      5_000
    )
    await password.fill('gl4ss-Harmonica-7!')
    await eventually(
      () => verdict(page),
      words => /^Strength: very good\./.test(words),
      5_000
    )
    t.equal((await met(page)).length, 6)
    await password.fill('😀'.repeat(19))
    t.match(await verdict(page), 'This password is too long')
    await password.fill('')
    t.strictSame(await met(page), [])
    t.equal(await verdict(page), en.password.advice)
  })

  await t.test('one request for a burst of typing, and the last response wins', async t => {
    const { password } = await open(page)
    const asked: string[] = []
    await page.route('**/api/auth/password/check', async route => {
      const { password } = route.request().postDataJSON()
      asked.push(password)
      // The first response comes long after the second.
      if (asked.length === 1) await sleep(1_000)
      await route.continue().catch(() => {})
    })
    await password.pressSequentially('password', { delay: 10 })
    await eventually(
      () => asked.length,
      count => count === 1,
      5_000
    )
    await password.fill('gl4ss-Harmonica-7!')
    await eventually(
      () => verdict(page),
      words => words.startsWith('Strength: very good'),
      5_000
    )
    await sleep(900)
    t.match(await verdict(page), 'Strength: very good')
    t.strictSame(asked, ['password', 'gl4ss-Harmonica-7!'])
    await page.unrouteAll({ behavior: 'wait' })
  })

  await t.test('a rating for which the service had no time is asked for again', async t => {
    const { password } = await open(page)
    person.expect('503 /api/auth/password/check')
    let requests = 0
    await page.route('**/api/auth/password/check', route => {
      const isFirst = requests++ === 0
      return isFirst ? route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: {} }) : route.continue()
    })
    await password.fill('gl4ss-Harmonica-7!')
    await eventually(() => verdict(page), words => words.startsWith('Strength: very good'), 5_000)
    t.equal(requests, 2)
    await page.unroute('**/api/auth/password/check')
  })

  await t.test('the name of the user makes a password weak', async t => {
    const { password } = await open(page)
    await page.getByLabel('Username').fill('Clementine')
    await password.fill('Clementine1!')
    await eventually(
      () => verdict(page),
      words => /Strength: (very )?weak/.test(words),
      5_000
    )
  })

  await t.test('feedback in German', async t => {
    const page = await (await newPerson(t, browser, { locale: 'de' })).newPage()
    const { password } = await open(page)
    await password.fill('password')
    await eventually(
      () => verdict(page),
      words => words.includes('Das ist eines der zehn häufigsten Passwörter.'),
      5_000
    )
  })

  await t.test('errors are shown at their fields, the first is focused', async t => {
    const { submit } = await open(page)
    person.expect('409 /register', '422 /register')
    const taken = await createUser(owner)
    await page.getByLabel('Username').fill('x')
    await page.getByLabel('Email').fill('nonsense')
    await submit.click()
    t.strictSame(await page.locator('.complaint').allInnerTexts(), [
      'Use 3 to 32 letters, digits, dots, hyphens or underscores. ' +
        'The first and the last character must be a letter or a digit.',
      'Please enter a complete email address, such as ann@example.com.',
      'Please fill in this field.',
    ])
    t.equal(await page.locator(':focus').getAttribute('id'), 'username')
    t.equal(await page.locator('#username').getAttribute('aria-describedby'), 'username-complaint username-hint')

    await page.getByLabel('Username').fill(taken.username)
    await page.getByLabel('Email').fill('new@example.com')
    await page.locator('#new-password').fill('password')
    await submit.click()
    await page.getByText('Choose a password that meets every rule below.').waitFor()
    t.equal(await page.locator(':focus').getAttribute('id'), 'new-password')
    await page.locator('#new-password').fill(PASSWORD)
    await submit.click()
    await page.getByText('This username is taken.').waitFor()
    t.equal(await page.locator(':focus').getAttribute('id'), 'username')
  })

  await t.test('resend the mail', async t => {
    const { submit } = await open(page)
    await page.getByLabel('Username').fill('newcomer')
    await page.getByLabel('Email').fill('newcomer@example.com')
    await page.locator('#new-password').fill(PASSWORD)
    await submit.dblclick()
    const first = await smtp.next()
    await page.getByRole('button', { name: 'send it again' }).click()
    await page.getByText('a new link is on its way').waitFor()
    const second = await smtp.next()
    t.equal(second.reader, 'newcomer@example.com')
    t.not(second.token, first.token)
    t.equal((await owner.query("SELECT FROM users WHERE username = 'newcomer'")).rowCount, 1)
  })
})

t.test('/register with EMAIL_VERIFICATION=off', { skip: withoutChromium }, async t => {
  const { url, owner } = await openService(t, { EMAIL_VERIFICATION: 'off' })
  const person = await newPerson(t, await startChromium(t))
  person.expect('409 /register')
  const page = await person.newPage()
  const known = await createUser(owner)
  await page.goto(`${url}/register`)
  await page.getByLabel('Username').fill('newcomer')
  await page.getByLabel('Email').fill(known.email)
  await page.locator('#new-password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('An account with this email address already exists.').waitFor()
  t.equal(await page.locator(':focus').getAttribute('id'), 'email')
  await page.getByLabel('Email').fill('newcomer@example.com')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Your account is active' }).waitFor()
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  await page.waitForURL(`${url}/login`)
})
