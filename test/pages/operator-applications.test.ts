import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { digest } from '../../src/secrets/digest.ts'
import { secrets } from '../support/build.ts'
import { startChromium, withoutChromium } from '../support/chromium.ts'
import { ORDERS, RESOURCES, VAULT } from '../support/openid/resources.ts'
import { checkLooks } from '../support/pages/looks.ts'
import { openOperatorPage } from '../support/pages/operator.ts'

const SCRIPT = '<img src="/x" onerror="window.ran = true">'
const CALLBACK = 'https://wiki.example.com/callback'
const options = { skip: withoutChromium }

t.test('applications: add, copy the settings, change, new secret, remove; a secret is shown once', options, async t => {
  const { operatorUrl: url, app, owner, newPage } = await openOperatorPage(t, await startChromium())
  const { page, person } = await newPage({ permissions: ['clipboard-write'] })
  person.expect('400 /operator/api/v1/apps')
  await page.goto(`${url}/applications`)
  await page.getByText('The OpenID provider is off.').waitFor()
  await page.getByText('None.').waitFor()
  await page.getByRole('button', { name: 'Add an application' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an application' })
  await dialog.getByLabel('Name').fill(`Wiki ${SCRIPT}`)
  await checkLooks(t, page)
  await dialog.getByLabel('Redirect URIs').fill('javascript:alert(1)')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByRole('alert').getByText('javascript:alert(1): use https:').waitFor()
  await dialog.getByLabel('Redirect URIs').fill(`${CALLBACK}\nhttps://wiki.example.net/callback\n`)
  await dialog.getByLabel('PKCE is optional').check()
  await dialog.getByRole('button', { name: 'Add' }).click()
  const shown = page.getByRole('dialog', { name: 'The secret of the application' })
  const secret = await shown.locator('code', { hasText: /^[\w-]{43}$/ }).innerText()
  secrets.add(secret)
  await checkLooks(t, page)
  await shown.getByRole('button', { name: 'I have copied it' }).click()

  await page.waitForURL(`${url}/applications/*-*`)
  const id = page.url().split('/').at(-1) as string
  await page.getByRole('heading', { name: `Wiki ${SCRIPT}` }).waitFor()
  t.notOk(await page.evaluate(() => (window as { ran?: boolean }).ran))
  t.equal(await page.locator('main img').count(), 0)
  t.notMatch(await page.content(), secret)
  await checkLooks(t, page)
  t.match(await app.applications.find(id), {
    kind: 'web',
    redirectUris: [CALLBACK, 'https://wiki.example.net/callback'],
    pkceOptional: true,
    trusted: false,
    secrets: [digest(secret)],
  })
  const issuer = app.config.PUBLIC_URL.replace(/\/$/, '')
  // The permissions policy of the service lets no page read the clipboard.
  await page.evaluate(() => {
    const { clipboard } = navigator
    const write = clipboard.writeText.bind(clipboard)
    clipboard.writeText = text => {
      document.body.dataset.copied = text
      return write(text)
    }
  })
  for (const [name, value] of [
    ['Issuer', issuer], ['Discovery URL', `${issuer}/.well-known/openid-configuration`], ['Client id', id],
  ] as const) {
    await page.getByRole('button', { name: `Copy: ${name}` }).click()
    await page.getByText('Copied.').waitFor()
    t.equal(await page.locator('body').getAttribute('data-copied'), value)
  }

  await page.getByRole('button', { name: 'Change' }).click()
  const change = page.getByRole('dialog', { name: 'Change the application' })
  t.equal(await change.getByLabel('Redirect URIs').inputValue(), `${CALLBACK}\nhttps://wiki.example.net/callback`)
  t.equal(await change.getByRole('radio').count(), 0, 'the kind stays')
  await change.getByLabel('Redirect URIs').fill(CALLBACK)
  await change.getByLabel('Trusted').check()
  await change.getByLabel('PKCE is optional').uncheck()
  await change.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The application is changed.').waitFor()
  await page.getByText('Not asked: trusted').waitFor()
  t.match(await app.applications.find(id), { redirectUris: [CALLBACK], trusted: true, pkceOptional: false })

  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('dialog').getByText('accepted for another 24 hours').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
  const renewed = await shown.locator('code', { hasText: /^[\w-]{43}$/ }).innerText()
  secrets.add(renewed)
  t.not(renewed, secret)
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  t.equal((await app.applications.find(id))?.secrets.length, 2)

  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByText('ends at once').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  t.equal((await owner.query('SELECT FROM applications')).rowCount, 1, 'not without an answer')
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.waitForURL(`${url}/applications`)
  t.equal((await owner.query('SELECT FROM applications')).rowCount, 0)
  const { rows } = await owner.query('SELECT what, actor FROM auth_events WHERE subject = $1 ORDER BY id', [id])
  t.strictSame(rows, ['added', 'changed', 'secret_rotated', 'removed']
    .map(what => ({ what: `application_${what}`, actor: 'operator grace' })))
})

t.test('applications: the form asks for what each kind has', options, async t => {
  const { operatorUrl: url, app, newPage } = await openOperatorPage(t, await startChromium())
  const { page } = await newPage()
  await page.goto(`${url}/applications`)
  await page.getByRole('button', { name: 'Add an application' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an application' })
  await dialog.getByLabel('Name').fill('Phone')
  await dialog.getByLabel('In a browser or on a device').check()
  t.equal(await dialog.getByLabel('PKCE is optional').isVisible(), false)
  await dialog.getByLabel('Redirect URIs').fill('com.example.app:/callback')
  await dialog.getByLabel('Without users').check()
  for (const name of ['Redirect URIs', 'Post-logout', 'Back-channel', 'Trusted']) {
    t.equal(await dialog.getByLabel(name).isVisible(), false, name)
  }
  await dialog.getByLabel('In a browser or on a device').check()
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByText('It has no secret.').waitFor()
  t.equal(await page.getByRole('button', { name: 'New secret' }).count(), 0)
  t.match(await app.manageApplications.list(), [{ kind: 'public', redirectUris: ['com.example.app:/callback'] }])

  await page.goto(`${url}/applications`)
  await page.getByRole('button', { name: 'Add an application' }).click()
  await dialog.getByLabel('Name').fill('Nightly')
  await dialog.getByLabel('Redirect URIs').fill('left over')
  await dialog.getByLabel('Without users').check()
  await dialog.getByRole('button', { name: 'Add' }).click()
  secrets.add(await page.locator('#secret', { hasText: /^[\w-]{43}$/ }).innerText())
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('Signs no user in', { exact: true }).waitFor()
  t.equal(await page.getByText('Redirect URIs').count(), 1, 'only in the form')
})

t.test('applications: resources and keys', options, async t => {
  const { operatorUrl: url, app, newPage } = await openOperatorPage(t, await startChromium(), RESOURCES)
  const { page, person } = await newPage()
  person.expect('400 /operator/api/v1/apps')
  const { publicKey } = generateKeyPairSync('ed25519')
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one' }
  await page.goto(`${url}/applications`)
  await page.getByRole('button', { name: 'Add an application' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an application' })
  await dialog.getByLabel('Name').fill('Nightly')
  await dialog.getByLabel('In a browser or on a device').check()
  t.equal(await dialog.getByLabel('Public keys').isVisible(), false)
  await dialog.getByLabel('Without users').check()
  await dialog.getByLabel('Resources').fill('https://elsewhere.example')
  await dialog.getByLabel('Its own resource').fill(VAULT)
  await dialog.getByLabel('Public keys').fill(JSON.stringify(key))
  await dialog.getByLabel('DPoP is required').check()
  await checkLooks(t, page)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByRole('alert').getByText('is no resource').waitFor()
  await dialog.getByLabel('Resources').fill(`${ORDERS} orders:read\n${VAULT}`)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByText('It has no secret: it authenticates with its keys.').waitFor()
  await page.getByText('one, Ed25519').waitFor()
  t.equal(await page.getByRole('button', { name: 'New secret' }).count(), 0)
  const settings = { resources: [`${ORDERS} orders:read`, VAULT], serves: VAULT, dpopRequired: true }
  t.match(await app.manageApplications.list(), [{ kind: 'machine', keys: [key], ...settings }])
  await checkLooks(t, page)

  await page.getByRole('button', { name: 'Change' }).click()
  const change = page.getByRole('dialog', { name: 'Change the application' })
  t.match(JSON.parse(await change.getByLabel('Public keys').inputValue()), { keys: [key] })
  await change.getByLabel('Public keys').fill('no key')
  await change.getByRole('button', { name: 'Save' }).click()
  await change.getByRole('alert').getByText('The public keys are no JWK.').waitFor()
  await change.getByLabel('Public keys').fill('')
  await change.getByLabel('Its own resource').fill('')
  await change.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The application is changed.').waitFor()
  t.match(await app.manageApplications.list(), [{ ...settings, serves: null, keys: { length: 0 } }])
})
