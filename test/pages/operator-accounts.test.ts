import t from 'tap'
import { createBrowser, createUser } from '../support/browser.ts'
import { startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'

const SCRIPT = '<img src="/x" onerror="window.ran = true"><script>window.ran = true</script>'

const options = { skip: withoutChromium }

t.test('search as you type: the last answer wins, and more pages by cursor', options, async t => {
  const { operatorUrl: url, owner, newPage } = await openOperatorPage(t, await startChromium())
  await owner.query(`INSERT INTO users (email, username)
    SELECT 'person' || n || '@example.com', 'user' || n FROM generate_series(100, 159) n`)
  const { page } = await newPage()
  let release = () => {}
  const held = new Promise<void>(resolve => { release = resolve })
  await page.route(/\/users\?.*q=user1$/, async route => {
    await held
    await route.continue().catch(() => {})
  })
  await page.goto(`${url}/accounts`)
  await page.getByText('61 accounts in total').waitFor()
  const asked = page.waitForRequest(/q=user1$/)
  await page.getByRole('searchbox').fill('user1')
  await asked
  const ended = page.waitForEvent('requestfailed', request => /q=user1$/.test(request.url()))
  await page.getByRole('searchbox').fill('user13')
  await page.getByText('10 accounts found').waitFor()
  await ended
  release()
  t.equal(await page.locator('#accounts tr').count(), 10)
  t.match(page.url(), /\?q=user13$/)

  await page.goto(`${url}/accounts?q=user`)
  await page.getByText('60 accounts found').waitFor()
  t.equal(await page.locator('#accounts tr').count(), 25)
  for (const shown of [50, 60]) {
    await page.getByRole('button', { name: 'More' }).click()
    await page.locator('#accounts tr').nth(shown - 1).waitFor()
    t.equal(await page.locator('#accounts tr').count(), shown)
  }
  t.equal(new Set(await page.locator('#accounts a').allInnerTexts()).size, 60)
  t.equal(await page.getByRole('button', { name: 'More' }).count(), 0)
})

t.test('the table of accounts: filters, orders and what they show, kept in the address', options, async t => {
  const { operatorUrl: url, owner, newPage } = await openOperatorPage(t, await startChromium())
  const ada = await createUser(owner, { username: 'ada', name: 'Ada Lovelace', external_id: 'customer-1815' })
  const bob = await createUser(owner, { username: 'bob', email_verified_at: null, disabled_at: new Date() })
  await owner.query("UPDATE users SET created_at = '2026-01-02' WHERE id = $1", [ada.id])
  await owner.query("UPDATE users SET created_at = '2026-01-01' WHERE id = $1", [bob.id])
  await owner.query("INSERT INTO last_sign_ins VALUES ($1, now() - interval '5 hours')", [ada.id])
  const { page } = await newPage()
  const rows = () => page.locator('#accounts a').allInnerTexts()
  await page.goto(`${url}/accounts`)
  await page.getByText('3 accounts in total').waitFor()
  t.strictSame(await rows(), ['grace', 'ada', 'bob'])
  t.match(await page.locator('#accounts tr', { hasText: 'Ada Lovelace' }).innerText(),
    /ada@example.com\s+Active\s+None\s+5 hours ago\s+Jan 2, 2026/)
  t.match(await page.locator('#accounts tr', { hasText: 'bob' }).innerText(), /Disabled\s+Not confirmed\s+None\s+Never/)
  t.match(await page.locator('#accounts tr', { hasText: 'grace' }).innerText(), /Authenticator app/)
  await checkLooks(t, page)

  await page.getByRole('searchbox').fill('customer-1815')
  await page.getByText('1 account found').waitFor()
  t.strictSame(await rows(), ['ada'])
  await page.getByRole('searchbox').fill('')
  await page.getByText('3 accounts in total').waitFor()

  await page.getByRole('button', { name: 'Account', exact: true }).click()
  await page.locator('th[aria-sort=ascending]', { hasText: 'Account' }).waitFor()
  await page.locator('#accounts tr:first-child', { hasText: 'ada' }).waitFor()
  t.strictSame(await rows(), ['ada', 'bob', 'grace'])
  await page.getByRole('button', { name: 'Last sign-in' }).click()
  await page.locator('th[aria-sort=descending]', { hasText: 'Last sign-in' }).waitFor()
  t.match(page.url(), /\?sort=-lastSignIn$/)
  await page.getByLabel('State').selectOption('disabled')
  await page.getByText('1 account found').waitFor()
  t.strictSame(await rows(), ['bob'])
  await page.getByLabel('Second factor').selectOption('totp')
  await page.getByText('0 accounts found').waitFor()
  await checkLooks(t, page)
  await page.reload()
  await page.getByText('0 accounts found').waitFor()
  t.equal(await page.getByLabel('State').inputValue(), 'disabled')

  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`${url}/accounts?q=love`)
  await page.getByText('1 account found').waitFor()
  await page.getByLabel('Order').selectOption('username')
  await page.waitForURL(/\?q=love&sort=username$/)
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
})

t.test('stored markup in a username, a name, an email and a user agent is text', options, async t => {
  const { operatorUrl: url, app, owner, newPage } = await openOperatorPage(t, await startChromium())
  const user = await createUser(owner, { username: 'mallory', email: `"${SCRIPT}"@example.com`, name: SCRIPT })
  await createBrowser(app, { userAgent: SCRIPT }).signIn('mallory')
  await createBrowser(app, { userAgent: SCRIPT }).signIn('mallory', 'wrong-Guess-77-again')
  await owner.query('UPDATE users SET username = $1 WHERE id = $2', [SCRIPT, user.id])
  const { page } = await newPage()
  await page.goto(`${url}/accounts`)
  await page.getByRole('link', { name: SCRIPT }).click()
  await page.getByRole('heading', { name: SCRIPT }).waitFor()
  t.equal(await page.locator('#events').getByTitle(SCRIPT).count(), 2)
  t.match(await page.locator('#about').innerText(), SCRIPT)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('heading', { name: `Delete: ${SCRIPT}?` }).waitFor()
  t.notOk(await page.evaluate(() => (window as { ran?: boolean }).ran))
  t.equal(await page.locator('main img, main script, dialog img').count(), 0)
})

t.test('changes: each asks first, needs a fresh proof, and says what it did', options, async t => {
  const { operatorUrl: url, owner, smtp, totp, newPage } = await openOperatorPage(t, await startChromium())
  const { page, person } = await newPage()
  person.expect('403 /operator/api/v1/users', /^409 \/operator\/api\/v1\/users/)
  await owner.query("UPDATE operator_sessions SET proved_at = now() - interval '1 hour'")
  await page.goto(`${url}/accounts`)
  await page.getByRole('button', { name: 'New account' }).click()
  const dialog = page.getByRole('dialog', { name: 'New account' })
  await checkLooks(t, page)
  await dialog.getByLabel('Username').fill('linus')
  await dialog.getByLabel('Email').fill('linus@example.com')
  await dialog.getByRole('button', { name: 'Create and invite' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
  await proof.getByLabel('Code').waitFor()
  await checkLooks(t, page)
  await proof.getByLabel('Code').fill(await totp.freshCode())
  await proof.getByRole('button', { name: 'Confirm' }).click()

  await page.getByRole('heading', { name: 'linus' }).waitFor()
  await page.getByText('Address not confirmed').waitFor()
  t.match(JSON.stringify((await smtp.next()).to), 'linus@example.com')
  const act = async (name: string, done: string) => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await page.getByText(done, { exact: true }).waitFor()
  }
  await act('Confirm the address', 'The address is confirmed.')
  await act('Disable', 'The account is disabled.')
  await act('Enable', 'The account is enabled.')
  await act('Send a reset mail', 'The mail will be sent.')
  await act('End all sessions', 'All sessions have ended.')
  t.equal(await page.getByRole('button', { name: 'Expire the password' }).count(), 0, 'linus has none yet')
  await owner.query("UPDATE users SET password_hash = 'x' WHERE username = 'linus'")
  await page.reload()
  await act('Expire the password', 'The password is expired.')
  const rows = await page.locator('#events li').allInnerTexts()
  t.equal(rows.filter(row => row.includes('by operator grace')).length, 7)

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const question = page.getByRole('dialog')
  await question.getByText('This cannot be undone').waitFor()
  t.equal(await page.locator(':focus').getAttribute('id'), 'question-typed')
  t.ok(await question.getByRole('button', { name: 'Delete' }).isDisabled(), 'the username is not typed yet')
  await question.getByLabel('Type linus to confirm').fill('grace')
  t.ok(await question.getByRole('button', { name: 'Delete' }).isDisabled(), 'of another account')
  await checkLooks(t, page)
  await question.getByLabel('Type linus to confirm').fill('linus')
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(`${url}/accounts`)
  await page.getByText('1 account in total').waitFor()

  await page.getByRole('button', { name: 'New account' }).click()
  await dialog.getByLabel('Username').fill('GRACE')
  await dialog.getByLabel('Email').fill('other@example.com')
  await dialog.getByRole('button', { name: 'Create and invite' }).click()
  await dialog.getByText('This username is taken.').waitFor()
})
