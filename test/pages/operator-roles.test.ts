import { readFileSync } from 'node:fs'
import t from 'tap'
import { createBrowser, createUser, PASSWORD } from '../support/browser.ts'
import { startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'
import { COMMAND_LINE } from '../../src/operators/actors.ts'

const options = { skip: withoutChromium }

t.test('each role sees only what it may do', options, async t => {
  const { operatorUrl: url, app, owner, user, newPage } = await openOperatorPage(t, await startChromium())
  const ada = await createUser(owner, { username: 'ada', email_verified_at: null })
  const chief = await createUser(owner, { username: 'chief' })
  await app.operators.add(chief.id)
  await app.webhooks.add({ url: 'https://app.example.com/hooks', events: ['user.created'] })
  const { page } = await newPage()
  const buttons = async () =>
    (await page.locator('main button:visible').allInnerTexts()).filter(name => name !== 'More')
  const openAs = async (role: 'viewer' | 'support' | 'administrator', path: string) => {
    await app.operators.changeRole(user.id, role)
    await page.goto(`${url}${path}`)
    await page.locator('#operator-name', { hasText: role === 'administrator' ? /^grace$/ : `grace ${role}` }).waitFor()
    await page.locator('main:not(.waiting)').waitFor()
  }

  await openAs('viewer', `/accounts/${ada.id}`)
  await page.getByText('Your role does not change accounts.').waitFor()
  t.strictSame(await buttons(), [])
  await checkLooks(t, page)
  await openAs('support', `/accounts/${ada.id}`)
  await page.getByRole('button', { name: 'Disable' }).waitFor()
  t.strictSame(await buttons(),
    ['Change the profile', 'Disable', 'Send a reset mail', 'End all sessions', 'Expire the password',
      'Download the data'])
  await page.getByRole('button', { name: 'Change the profile' }).click()
  for (const name of ['Email', 'External id']) {
    t.equal(await page.getByLabel(name, { exact: true }).isDisabled(), true, `${name}: not theirs to change`)
  }
  await openAs('support', '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  const fields = page.getByRole('dialog').locator('label:visible')
  t.strictSame(await fields.allInnerTexts(), ['Username', 'Email', 'Name (optional)'], 'the owner is invited')
  await checkLooks(t, page)
  await openAs('support', `/accounts/${chief.id}`)
  await page.getByText('Only an administrator can change the account of an operator.').waitFor()
  t.strictSame(await buttons(), [])
  await openAs('administrator', `/accounts/${ada.id}`)
  await page.getByRole('button', { name: 'Confirm the address' }).waitFor()
  await openAs('administrator', `/accounts/${chief.id}`)
  await page.getByRole('button', { name: 'Delete' }).waitFor()

  for (const [path, role, shown] of [
    ['/accounts', 'viewer', []],
    ['/accounts', 'support', ['New account']],
    ['/accounts', 'administrator', ['New account', 'Change all of them']],
    ['/webhooks', 'support', []],
    ['/webhooks', 'administrator', ['Add a webhook']],
    ['/applications', 'support', []],
    ['/applications', 'administrator', ['Add an application']],
  ] as const) {
    await openAs(role, path)
    await page.getByText(/in total|https:\/\/app\.example\.com|None\./).first().waitFor()
    const offered = (await buttons()).filter(name => !/^(Account|Last sign-in|Created)$/.test(name))
    t.strictSame(offered, shown, `${path} ${role}`)
  }

  await openAs('viewer', '/operators')
  await page.locator('#operators tr', { hasText: 'chief' }).getByText('Administrator').waitFor()
  t.match(await page.locator('#rights tr', { hasText: 'Delete an account' }).innerText(), /No\s+No\s+Yes\s+users:write/)
  await checkLooks(t, page)
})

t.test('an administrator changes the data of applications, and never undoes another change', options, async t => {
  const { operatorUrl: url, app, owner, user, newPage } = await openOperatorPage(t, await startChromium())
  const ada = await createUser(owner, { username: 'ada' })
  const { page, person } = await newPage()
  person.expect(...['400', '412'].map(status => `${status} /operator/api/v1/users/${ada.id}/data`))
  const [text, save] = [page.getByLabel('A JSON object'), page.getByRole('button', { name: 'Save' }).last()]
  /** The dialog opens when the data has arrived. */
  async function open () {
    await page.getByRole('button', { name: 'Change the data' }).click()
    await text.waitFor()
  }
  await page.goto(`${url}/accounts/${ada.id}`)

  await open()
  await checkLooks(t, page)
  t.equal(await text.inputValue(), '{}')
  for (const [typed, message] of [
    ['{"roles":', 'This is not a JSON object.'],
    [JSON.stringify({ roles: 'x'.repeat(5_000) }), 'at most 4096 are stored'],
    ['["admin"]', 'This is not a JSON object.'],
    // As text, since the browser would send what it has understood.
    ['{ "roles": ["owner"], "roles": [] }', 'two members of the same name'],
    ['{ "limit": 1e400 }', 'a number is too large'],
  ] as const) {
    await text.fill(typed)
    await save.click()
    await page.getByRole('dialog').getByText(message).waitFor()
  }
  await text.fill('{ "roles": ["editor"] }')
  await save.click()
  await page.getByText('The data is saved.').waitFor()
  t.same(JSON.parse(await page.locator('#data').innerText()), { roles: ['editor'] })

  await open()
  t.same(JSON.parse(await text.inputValue()), { roles: ['editor'] })
  const found = await app.users.findById(ada.id)
  if (found) await app.changeAccount(found, { data: { roles: ['owner'] } }, COMMAND_LINE)
  await text.fill('{ "roles": [] }')
  await save.click()
  await page.getByText('The data has changed meanwhile.').waitFor()
  t.same((await app.accountData.find(ada.id)).data, { roles: ['owner'] })

  await app.operators.changeRole(user.id, 'support')
  await page.reload()
  await page.getByRole('button', { name: 'Change the profile' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Change the data' }).isVisible(), false)
})

t.test('download the data of an account: asks first, and saves the file', options, async t => {
  const { operatorUrl: url, owner, newPage } = await openOperatorPage(t, await startChromium())
  const ada = await createUser(owner, { username: 'ada' })
  const { page } = await newPage()
  await page.goto(`${url}/accounts/${ada.id}`)
  await page.getByRole('button', { name: 'Download the data' }).click()
  await checkLooks(t, page)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ])
  t.equal(file.suggestedFilename(), 'account-data.json')
  t.match(JSON.parse(readFileSync(await file.path(), 'utf8')), { account: { username: 'ada' } })
  await page.getByText('The data is downloaded.').waitFor()
  await page.getByText('Personal data downloaded by an operator').waitFor()
})

t.test('a new account with a password, whose rules apply, or with a hash', options, async t => {
  const { operatorUrl: url, app, newPage } = await openOperatorPage(t, await startChromium())
  const { page, person } = await newPage()
  person.expect('422 /operator/api/v1/users', '400 /operator/api/v1/users')
  await page.goto(`${url}/accounts`)
  await page.getByRole('button', { name: 'New account' }).click()
  const dialog = page.getByRole('dialog', { name: 'New account' })
  await dialog.getByLabel('Username').fill('linus')
  await dialog.getByLabel('Email').fill('linus@example.com')
  await dialog.getByLabel('Password', { exact: true }).selectOption('passwordHash')
  await dialog.getByLabel('Hash', { exact: true }).fill('no-hash')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByText('passwordHash: not a hash of a known form.').waitFor()
  await checkLooks(t, page)
  await dialog.getByLabel('Password', { exact: true }).selectOption('password')
  await dialog.getByLabel('New password').fill('password')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByText(/must contain/).waitFor()
  await checkLooks(t, page)
  await dialog.getByLabel('New password').fill(PASSWORD)
  await dialog.getByLabel('The address is confirmed').check()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'linus' }).waitFor()
  t.equal((await createBrowser(app).signIn('linus')).statusCode, 200)
})

t.test('all accounts of a search: the number first, then the progress and a report', options, async t => {
  const { operatorUrl: url, app, owner, newPage } = await openOperatorPage(t, await startChromium())
  await owner.query(`INSERT INTO users (email, username)
    SELECT 'person' || n || '@example.com', 'user' || n FROM generate_series(100, 219) n`)
  const { rows: [chief] } = await owner.query("SELECT id FROM users WHERE username = 'user150'")
  await app.operators.add(chief.id)
  const { page } = await newPage()
  await page.goto(`${url}/accounts?q=user&state=active`)
  await page.getByText('120 accounts found').waitFor()
  await page.getByRole('button', { name: 'Change all of them' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The search finds 120 accounts.').waitFor()
  await checkLooks(t, page)
  await dialog.getByLabel(/Type 120/).fill('12')
  t.ok(await dialog.getByRole('button', { name: 'Start' }).isDisabled(), 'this is another number')
  const disabled = async () => (await owner.query('SELECT FROM users WHERE disabled_at IS NOT NULL')).rowCount
  t.equal(await disabled(), 0)
  await dialog.getByLabel(/Type 120/).fill('120')
  await dialog.getByRole('button', { name: 'Start' }).click()
  await dialog.getByText('119 accounts changed, 0 unchanged, 1 skipped.').waitFor()
  await dialog.getByRole('link', { name: 'user150' }).waitFor()
  await checkLooks(t, page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('1 account found').waitFor()
  t.equal(await disabled(), 119)
})
