import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../../demo/free-port.ts'
import { DEMO_USER } from '../../demo/seed.ts'
import { newPerson, startChromium, withoutChromium } from '../support/chromium.ts'
import { addPasskey } from '../support/pages/passkeys.ts'
import { addAuthenticator } from '../support/pages/virtual-authenticator.ts'
import { gatehouse } from '../support/process.ts'

t.test('embedded stack: the demo user adds a passkey at http://localhost, and signs in with it', {
  skip: withoutChromium,
}, async t => {
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-passkey-'))
  const { child, ended, until } = gatehouse(['serve'], { PORT: String(await freePort()), BCRYPT_COST: '10' }, { cwd })
  t.teardown(async () => {
    child.kill('SIGINT')
    await ended
    rmSync(cwd, { recursive: true, force: true })
  })
  const [, invitation = ''] = await until(/add one: (http:\/\/localhost:\d+\/dashboard#factors)/)
  const person = await newPerson(t, await startChromium(t))
  const page = await person.newPage()
  const authenticator = await addAuthenticator(page)
  await page.goto(invitation)
  await page.getByLabel('Username or email').fill(DEMO_USER.username)
  await page.getByLabel('Password', { exact: true }).fill(DEMO_USER.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(invitation)
  await addPasskey(page)
  await authenticator.setPresence(false)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByText('You are signed out.').waitFor()
  const login = page.url()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await page.goto('about:blank')
  await authenticator.setPresence(true)
  // From here on, the authenticator answers the request for autofill by itself.
  await page.goto(login, { waitUntil: 'commit' })
  await page.getByText(DEMO_USER.email).first().waitFor()
})
