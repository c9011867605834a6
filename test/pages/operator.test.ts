import t from 'tap'
import { createBrowser, createUser, PASSWORD } from '../support/browser.ts'
import { startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'
import { addPasskey, arriveWithAuthenticator } from '../support/pages/passkeys.ts'
import { wrongCode } from '../support/second-factor.ts'

t.test('the journey of an operator: sign in, find an account, disable it, sign out', {
  skip: withoutChromium,
}, async t => {
  const { operatorUrl: url, app, owner, user, totp, newVisitor } = await openOperatorPage(t, await startChromium())
  const other = await createUser(owner, { username: 'ada', name: 'Ada Lovelace' })
  await createUser(owner, { username: 'adam' })
  await createBrowser(app).signIn('ada')
  const person = await newVisitor()
  person.expect('401 /operator/api/v1/session', '401 /operator/api/v1/session/second-factor')
  const page = await person.newPage()

  await page.goto(`${url}/accounts`)
  await page.waitForURL(/\/operator\/sign-in\?/)
  await checkLooks(t, page)
  await page.getByLabel('Username or email').fill(user.username)
  await page.locator('#password').fill('wrong-Guess-77-again')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Username or password is incorrect').waitFor()
  await page.locator('#password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Code').fill(wrongCode(totp.secret))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('.complaint').waitFor()
  await checkLooks(t, page)
  await page.getByLabel('Code').fill(await totp.freshCode())
  await page.getByRole('button', { name: 'Continue' }).click()

  await page.waitForURL(`${url}/accounts`)
  await page.getByText('3 accounts in total').waitFor()
  await page.getByRole('searchbox').fill('ADA')
  await page.getByText('2 accounts found').waitFor()
  await checkLooks(t, page)
  await page.getByRole('searchbox').press('ArrowDown')
  await page.keyboard.press('Enter')

  await page.waitForURL(`${url}/accounts/${other.id}`)
  await page.getByRole('heading', { name: 'ada' }).waitFor()
  await page.getByText('ada@example.com').first().waitFor()
  t.equal(await page.locator('nav [aria-current=true]').innerText(), 'Accounts', 'the section of this page')
  await checkLooks(t, page)
  await page.getByRole('button', { name: 'Disable' }).click()
  const question = page.getByRole('dialog')
  await question.getByText('1 session will end at once').waitFor()
  t.equal(await page.locator(':focus').innerText(), 'Cancel')
  await checkLooks(t, page)
  await question.getByRole('button', { name: 'Cancel' }).click()
  t.strictSame((await owner.query('SELECT disabled_at FROM users WHERE id = $1', [other.id])).rows, [
    { disabled_at: null },
  ])
  await page.getByRole('button', { name: 'Disable' }).click()
  await question.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('The account is disabled.').waitFor()
  const first = page.locator('#events li').first()
  t.match(await first.innerText(), /Account disabled.*\s+by operator grace/)
  t.equal(await page.locator('#sessions li').count(), 0)
  t.equal((await createBrowser(app).signIn('ada')).statusCode, 401)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/operator\/sign-in\?reason=signed-out/)
  await page.goto(`${url}/accounts/${other.id}`)
  await page.waitForURL(/\/operator\/sign-in\?/)
  t.equal(await page.getByText('ada@example.com').first().count(), 0)
})

t.test('sign-in with a passkey of the service, and only for operators', { skip: withoutChromium }, async t => {
  const browser = await startChromium()
  const house = await openOperatorPage(t, browser)
  const { user, person, page } = await arriveWithAuthenticator(t, house, browser)
  person.expect('403 /operator/api/v1/session/passkey')
  await addPasskey(page)
  await page.goto(`${house.operatorUrl}/sign-in?next=https://evil.example/`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This account is not an operator.').waitFor()
  await house.app.operators.add(user.id)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${house.operatorUrl}/`)
  await page.locator('#operator-name').getByText(user.username).waitFor()
})
