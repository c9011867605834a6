import t from 'tap'
import { addApplication } from '../support/openid/logouts.ts'
import { createBrowser, createUser } from '../support/browser.ts'
import { secrets } from '../support/build.ts'
import { startChromium, withoutChromium } from '../support/chromium.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'
import { eventually } from '../support/patience.ts'
import { startReceiver } from '../support/receiver.ts'

const SCRIPT = '<img src="/x" onerror="window.ran = true"><script>window.ran = true</script>'
const options = { skip: withoutChromium }

t.test('webhooks: add, deliveries with their answers as text, send again, pause, resume, remove', options, async t => {
  const { operatorUrl: url, app, owner, newPage } = await openOperatorPage(t, await startChromium(), {
    WEBHOOK_PRIVATE: 'allow',
  })
  const receiver = await startReceiver(t, (_received, response) => {
    response.writeHead(500, { 'content-type': 'text/html' }).end(SCRIPT)
  })
  const { page } = await newPage()
  await page.goto(`${url}/webhooks`)
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByLabel('user.created').check()
  t.equal(await dialog.getByLabel('All', { exact: true }).isChecked(), false)
  await checkLooks(t, page)
  await dialog.getByRole('button', { name: 'Add' }).click()
  const secret = await page.locator('#secret', { hasText: /^whsec_.{40}/ }).innerText()
  secrets.add(secret)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('link', { name: receiver.url }).waitFor()
  await checkLooks(t, page)
  t.notMatch(await page.content(), secret)
  const { rows: [hook] } = await owner.query('SELECT id, events FROM webhooks')
  t.strictSame(hook.events, ['user.created'])

  const { id: userId } = await createUser(owner)
  await owner.query("INSERT INTO auth_events (what, user_id) VALUES ('registered', $1)", [userId])
  await eventually(async () => {
    await app.announceEvents()
    return (await owner.query("SELECT FROM webhook_deliveries WHERE answer LIKE '<img%'")).rowCount
  }, count => count === 1)
  await owner.query("UPDATE webhook_deliveries SET status = 'failed'")
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByText('Answered with 500').click()
  t.equal(await page.locator('#deliveries pre').innerText(), SCRIPT)
  t.notOk(await page.evaluate(() => (window as { ran?: boolean }).ran))
  t.equal(await page.locator('main img, main script').count(), 0)
  await checkLooks(t, page)

  const act = async (name: string, done: string) => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await page.getByText(done, { exact: true }).waitFor()
  }
  const received = receiver.received.length
  await act('Send again', 'The message will be sent again.')
  await eventually(() => receiver.received.length, count => count > received)
  await act('Pause', 'The webhook is paused.')
  t.match((await owner.query('SELECT paused_for FROM webhooks')).rows, [{ paused_for: /operator/ }])
  await page.getByText('Paused:').waitFor()
  await act('Resume', 'The webhook is active.')
  await page.getByLabel('Show').selectOption('delivered')
  await page.getByText('No messages.').waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.waitForURL(`${url}/webhooks`)
  t.equal((await owner.query('SELECT FROM webhooks')).rowCount, 0)

  await addApplication(app, 'https://wiki.example.com/logout')
  await page.reload()
  await page.getByText('Sign-outs, for the application Wiki').waitFor()
  await checkLooks(t, page)
  await page.getByRole('link', { name: 'https://wiki.example.com/logout' }).click()
  await page.getByText('Sign-outs, for the application Wiki').waitFor()
  t.strictSame(await page.locator('#actions button').allInnerTexts(), ['Pause'], 'the application keeps it')
  await checkLooks(t, page)
})

t.test('limits: those in force, of a client and of a login name, and clear them', options, async t => {
  const { operatorUrl: url, app, owner, newPage } = await openOperatorPage(t, await startChromium(), {
    LIMIT_LOGIN_MAX: '2',
  })
  const user = await createUser(owner)
  const attacker = createBrowser(app)
  for (const attempt of [1, 2]) await attacker.signIn(user.username, `wrong-Guess-${attempt}-again`)
  t.equal((await attacker.signIn(user.username)).statusCode, 429)

  const { page } = await newPage()
  await page.goto(`${url}/limits`)
  const row = page.locator('#limits li', { hasText: 'Failed sign-ins of a client: 2 of 2' })
  await row.getByText(`Login from ${attacker.address}`).waitFor()
  await row.getByText('Reached').waitFor()
  await checkLooks(t, page)
  await page.getByLabel('Client address or login name').fill(user.username)
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText(`Login to ${user.username}`).first().waitFor()
  await page.getByText(/Failed sign-ins to a login name: 2 of/).waitFor()

  await page.getByLabel('Client address or login name').fill(attacker.address)
  await page.getByRole('button', { name: 'Show' }).click()
  await row.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('dialog').getByText('also those of an attacker').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
  await page.getByText(/^Cleared: .*login/).waitFor()
  t.equal((await attacker.signIn(user.username)).statusCode, 200)
})

t.test('service: mails, keys, and whether the audit trail is unbroken', options, async t => {
  const { operatorUrl: url, app, owner, smtp, newPage } = await openOperatorPage(t, await startChromium())
  secrets.add(await app.apiKeys.add('billing', ['users:read']) as string)
  smtp.refuse(100, 451)
  const user = await createUser(owner)
  await app.administration.sendResetMail({ ...user, id: user.id } as never)
  await eventually(() => app.sealEvents().then(() => app.auditSeals.latest()), seal => seal !== undefined)

  const { page } = await newPage()
  await page.goto(`${url}/service`)
  await page.locator('#mails').getByText(user.email).waitFor()
  await page.locator('#signing-keys').getByText('EdDSA').first().waitFor()
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText(/^Unbroken since .* Verified: \d+ events? under \d+ seals?/).waitFor()
  await checkLooks(t, page)
  await owner.query("UPDATE auth_events SET what = 'sign_out'")
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText(/^Broken: \d+ problems?/).waitFor()
  await page.locator('#problems').getByText(/event \d+: was changed/).first().waitFor()
  await checkLooks(t, page)

  await page.getByRole('button', { name: 'End' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('The key has ended.').waitFor()
  t.match(await app.apiKeys.list(), [{ name: 'billing', endedAt: Date }])
})
