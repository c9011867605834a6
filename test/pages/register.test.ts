import t from 'tap'
import type { Page } from 'playwright-core'
import en from '../../pages/texts/en.js'
import { createUser, PASSWORD } from '../support/browser.ts'
import { newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { addAuthenticator } from '../support/pages/virtual-authenticator.ts'
import { eventually } from '../support/patience.ts'

/** Some are weak only because of the user: clementine, umbrella@example.com, Quillfeather Zanzibar. */
const PASSWORDS = [
  'short1A', 'Sh0rt-1', 'password', 'Password1!', 'passworD-12345', 'Aa1!Aa1!', 'qwertyUIOP-12',
  'correct horse battery', 'correct-Horse-42-staple', 'gl4ss-Violet-7!', 'Clementine1!', 'clementine-7A', 'Umbrella-1',
  'Quillfeather-7!', 'Quillfeather Zanzibar 4', 'Ärger im Zoo 9!', '日本語のパスワードAa1', 'ПарольДом-7а-зонт',
  'kettle-Goat-99-violet', 'Zz9!'.repeat(19), `${'😀'.repeat(16)}aA1!`, 'xK9#mQ2$vL', ' aA1 aA1 aA1 ',
]
const verdict = (page: Page) => page.locator('.verdict').innerText()

t.test('/register', { skip: withoutChromium }, async t => {
  const { url, owner, smtp } = await openService(t)
  const browser = await startChromium()

  const person = await newPerson(t, browser)
  const page = await person.newPage()

  async function open (page: Page) {
    await page.goto(`${url}/register`)
    await page.locator('#register button[type=submit]:enabled').waitFor()
    return { password: page.locator('#new-password'), submit: page.locator('#register button[type=submit]') }
  }

  await t.test('one hint: what is missing, then the strength in words', async t => {
    const { password } = await open(page)
    t.equal(await verdict(page), en.password.rules)
    const STEPS: Array<[typed: string, missing: string]> = [
      ['a', 'at least 8 characters, an uppercase letter, a number, and a special character'],
      ['A', 'at least 8 characters, a number, and a special character'],
      ['1', 'at least 8 characters and a special character'],
      ['!', 'at least 8 characters'],
    ]
    for (const [typed, missing] of STEPS) {
      await password.pressSequentially(typed)
      t.equal(await verdict(page), `Still missing: ${missing}.`)
    }
    await password.fill('Password1!')
    await eventually(
      () => verdict(page),
      words => /^Strength: (very )?weak\. .*common(ly used)? password\.$/.test(words)
    )
    await password.fill('gl4ss-Harmonica-7!')
    await eventually(() => verdict(page), words => /^Strength: very good\./.test(words))
    await password.fill('glass harmonica trombone')
    t.match(await verdict(page), /^Still missing: an uppercase letter and a number\.$/)
    await page.waitForResponse('**/api/auth/password/check')
    t.equal(await page.locator('#strength').getAttribute('data-score'), '2', 'not as good as one that is accepted')
    await password.fill('😀'.repeat(19))
    t.match(await verdict(page), 'This password is too long')
    await password.fill('')
    t.equal(await verdict(page), en.password.rules)
    t.equal(await page.locator('#password-hint, [id=strength]').count(), 2, 'one bar and one hint')
  })

  await t.test('one request for a burst of typing, and the last response wins', async t => {
    const { password } = await open(page)
    const asked: string[] = []
    const [released, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/api/auth/password/check', async route => {
      const { password } = route.request().postDataJSON()
      asked.push(password)
      if (asked.length > 1) return route.continue()
      // The first request goes on when the second has been answered, unless the page has given it up.
      await released.promise
      await route.continue().catch(() => {})
      await route.request().response()
      late.resolve()
    })
    await password.pressSequentially('password', { delay: 10 })
    await eventually(() => asked.length, count => count === 1)
    await password.fill('gl4ss-Harmonica-7!')
    await eventually(() => verdict(page), words => words.startsWith('Strength: very good'))
    released.resolve()
    await late.promise
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    t.match(await verdict(page), 'Strength: very good')
    t.strictSame(asked, ['password', 'gl4ss-Harmonica-7!'])
    await page.unrouteAll({ behavior: 'wait' })
  })

  await t.test('a rating for which the service had no time is asked for again', async t => {
    const { password } = await open(page)
    let requests = 0
    await page.route('**/api/auth/password/check', route => {
      const isFirst = requests++ === 0
      return isFirst ? route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: {} }) : route.continue()
    })
    await password.fill('gl4ss-Harmonica-7!')
    await eventually(() => verdict(page), words => words.startsWith('Strength: very good'))
    t.equal(requests, 2)
    await page.unroute('**/api/auth/password/check')
  })

  await t.test('the name of the user makes a password weak', async t => {
    const { password } = await open(page)
    await page.getByLabel('Username').fill('Clementine')
    await password.fill('Clementine1!')
    await eventually(() => verdict(page), words => /Strength: (very )?weak/.test(words))
  })

  await t.test('feedback in German', async t => {
    const page = await (await newPerson(t, browser, { locale: 'de' })).newPage()
    const { password } = await open(page)
    await password.fill('Password1!')
    await eventually(() => verdict(page), words => /^Stärke: .*häufig/.test(words))
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
    t.equal(await page.locator('#username').getAttribute('aria-describedby'), 'username-complaint')
    t.equal(await page.locator('#username-hint').isVisible(), false, 'the message says what the hint says')

    await page.getByLabel('Username').fill(taken.username)
    t.equal(await page.locator('#username').getAttribute('aria-describedby'), 'username-hint')
    t.ok(await page.locator('#username-hint').isVisible())
    await page.getByLabel('Email').fill('new@example.com')
    await page.locator('#new-password').fill('password')
    await submit.click()
    await page.getByText('This password is not accepted.').waitFor()
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

t.test('/register: the hint and the service agree about each password', { skip: withoutChromium }, async t => {
  const { url, owner } = await openService(t)
  const person = await newPerson(t, await startChromium())
  // On a busy machine, a rating has no time. The page asks again, and so does this test.
  person.expect('503 /register')
  const page = await person.newPage()
  await page.goto(`${url}/register`)
  await page.locator('#register button[type=submit]:enabled').waitFor()
  const password = page.locator('#new-password')
  await page.getByLabel('Username').fill('clementine')
  await page.getByLabel('Email').fill('umbrella@example.com')
  await page.getByLabel('Name (optional)').fill('Quillfeather Zanzibar')
  person.expect('422 /register')
  const accepted: string[] = []
  for (const each of PASSWORDS) {
    await password.fill('')
    await password.fill(each)
    const hint = await eventually(() => verdict(page), words => words !== en.password.rules)
    const isGood = /^Strength: (very )?good\./.test(hint)
    const answer = await eventually(() => page.evaluate(async password => {
      const account = {
        username: 'clementine', email: 'umbrella@example.com', name: 'Quillfeather Zanzibar', password,
      }
      const headers = { 'content-type': 'application/json' }
      return (await fetch('/register', { method: 'POST', headers, body: JSON.stringify(account) })).status
    }, each), status => status !== 503)
    t.equal(isGood, answer !== 422, `${each}: ${answer}, ${hint}`)
    if (answer !== 422) accepted.push(each)
    await owner.query("DELETE FROM users WHERE username = 'clementine'")
  }
  t.ok(accepted.length > 3 && accepted.length < PASSWORDS.length - 3)
})

t.test('/register: through a provider, which leads to the requested page', { skip: withoutChromium }, async t => {
  const { url } = await openService(t)
  const page = await (await newPerson(t, await startChromium())).newPage()
  await page.goto(`${url}/register?next=/dashboard/devices`)
  t.equal(await page.locator('.providers a').count(), 3)
  await page.locator('#register button[type=submit]:enabled').waitFor()
  await page.getByRole('link', { name: 'Continue with Mooncrumb' }).click()
  await page.locator('button[value=continue]').click()
  await page.waitForURL(`${url}/dashboard/devices`)
  await page.getByText('Account created').waitFor()
})

t.test('/register with a passkey: added when the address is confirmed', { skip: withoutChromium }, async t => {
  const { url, smtp, owner } = await openService(t)
  const page = await (await newPerson(t, await startChromium())).newPage()
  await addAuthenticator(page)
  await page.goto(`${url}/register?next=/dashboard/data`)
  await page.getByLabel('Username').fill('grace')
  await page.getByLabel('Email').fill('grace@example.com')
  await page.locator('#new-password').fill(PASSWORD)
  await page.getByLabel('Also set up a passkey').check()
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
  await page.getByRole('button', { name: 'send it again' }).click()
  await smtp.next()
  await page.goto((await smtp.next()).text?.match(/http\S+#token=\S+/)?.[0] ?? '')
  await page.getByRole('button', { name: 'Confirm my address' }).click()
  await page.getByRole('dialog', { name: 'Name of the passkey' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('The passkey “My device” has been added.').waitFor()
  t.equal((await owner.query('SELECT FROM passkeys')).rowCount, 1)
  t.equal(await page.locator('#way-back').getAttribute('href'), '/dashboard/data', 'the way on')
})

t.test('/register with SECOND_FACTOR=off, or where there are no passkeys: none is offered', {
  skip: withoutChromium,
}, async t => {
  const browser = await startChromium()
  for (const [name, value] of [['SECOND_FACTOR', 'off'], ['PUBLIC_URL', 'http://other.localhost:3000']] as const) {
    const { url } = await openService(t, { [name]: value })
    const page = await (await newPerson(t, browser)).newPage()
    await page.goto(`${url}/register`)
    await page.locator('#register button[type=submit]:enabled').waitFor()
    t.notOk(await page.getByLabel('Also set up a passkey').isVisible())
  }
})

t.test('/register with EMAIL_VERIFICATION=off', { skip: withoutChromium }, async t => {
  const { url, owner } = await openService(t, { EMAIL_VERIFICATION: 'off' })
  const person = await newPerson(t, await startChromium())
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
