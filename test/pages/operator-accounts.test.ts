import t from 'tap'
import { createBrowser, createUser } from '../support/browser.ts'
import { startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'

const SCRIPT = '<img src="/x" onerror="window.ran = true"><script>window.ran = true</script>'

const options = { skip: withoutChromium, timeout: 600_000 }

t.test('search as you type: the last answer wins, and more pages by cursor', options, async t => {
  const { operatorUrl: url, owner, newPage } = await openOperatorPage(t, await startChromium(t))
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
  t.equal(await page.locator('#accounts li').count(), 10)
  t.match(page.url(), /\?q=user13$/)

  await page.goto(`${url}/accounts?q=user`)
  await page.getByText('60 accounts found').waitFor()
  t.equal(await page.locator('#accounts li').count(), 25)
  for (const shown of [50, 60]) {
    await page.getByRole('button', { name: 'More' }).click()
    await page.locator('#accounts li').nth(shown - 1).waitFor()
    t.equal(await page.locator('#accounts li').count(), shown)
  }
  t.equal(new Set(await page.locator('#accounts a').allInnerTexts()).size, 60)
  t.equal(await page.getByRole('button', { name: 'More' }).count(), 0)
})

t.test('stored markup in a username, a name, an email and a user agent is text', options, async t => {
  const { operatorUrl: url, app, owner, newPage } = await openOperatorPage(t, await startChromium(t))
  const user = await createUser(owner, { username: 'mallory', email: `"${SCRIPT}"@example.com`, name: SCRIPT })
  await createBrowser(app, { userAgent: SCRIPT }).signIn('mallory')
  await createBrowser(app, { userAgent: SCRIPT }).signIn('mallory', 'wrong-Guess-77-again')
  await owner.query('UPDATE users SET username = $1 WHERE id = $2', [SCRIPT, user.id])
  const { page } = await newPage()
  await page.goto(`${url}/accounts`)
  await page.getByRole('link', { name: SCRIPT }).click()
  await page.getByRole('heading', { name: SCRIPT }).waitFor()
  t.equal(await page.locator('#events').getByText(SCRIPT).count(), 2)
  t.match(await page.locator('#about').innerText(), SCRIPT)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('heading', { name: `Delete: ${SCRIPT}?` }).waitFor()
  t.notOk(await page.evaluate(() => (window as { ran?: boolean }).ran))
  t.equal(await page.locator('main img, main script, dialog img').count(), 0)
})

t.test('changes: each asks first, needs a fresh proof, and says what it did', options, async t => {
  const { operatorUrl: url, owner, smtp, totp, newPage } = await openOperatorPage(t, await startChromium(t))
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
  await page.getByRole('dialog').getByText('This cannot be undone').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(`${url}/accounts`)
  await page.getByText('1 account in total').waitFor()

  await page.getByRole('button', { name: 'New account' }).click()
  await dialog.getByLabel('Username').fill('GRACE')
  await dialog.getByLabel('Email').fill('other@example.com')
  await dialog.getByRole('button', { name: 'Create and invite' }).click()
  await dialog.getByText('This username is taken.').waitFor()
})
