// npx node test/pages/screenshots.ts: the two images of the README.
// With a folder: every page, or those that are named after it, phone and desktop, light and dark.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Page } from 'playwright-core'
import { createUser, hashOf } from '../support/browser.ts'
import { newPerson, openService, startChromium } from '../support/chromium.ts'
import { addTotp } from '../support/second-factor.ts'

const [FOLDER, ...NAMES] = process.argv.slice(2)
const PASSWORD = 'tr0mbone-Under-glass!'
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }
const DEVICES = [
  [
    '198.51.100.23',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
      'Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  ['203.0.113.80', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'],
] as const

t.setTimeout(300_000)
t.test('screenshots', { timeout: 300_000 }, async t => {
  const { app, owner, url } = await openService(t, {
    PROVIDER_A_AUTHORIZE_URL: 'https://accounts.google.com/o/oauth2/v2/auth',
    PROVIDER_B_AUTHORIZE_URL: 'https://github.com/login/oauth/authorize',
  })
  const browser = await startChromium(t)
  const user = await createUser(owner, {
    username: 'ada',
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    password_hash: await hashOf(PASSWORD),
  })
  const elsewhere = (address: string, agent: string, password: string) =>
    app.inject({
      method: 'POST',
      url: '/login',
      payload: { username: 'ada', password },
      remoteAddress: '127.0.0.1',
      headers: { 'x-forwarded-for': address, 'user-agent': agent },
    })
  for (const [address, agent] of DEVICES) await elsewhere(address, agent, PASSWORD)
  await elsewhere('192.0.2.44', DEVICES[1][1], 'a wrong guess')
  await owner.query(`
    UPDATE refresh_tokens SET signed_in_at = signed_in_at - age, issued_at = issued_at - age / 9
    FROM (SELECT id AS of, row_number() OVER () * interval '2 days 3 hours' AS age FROM refresh_tokens) ages
    WHERE of = refresh_tokens.id`)
  await owner.query("UPDATE auth_events SET created_at = created_at - (10 - id) * interval '11 hours'")

  async function enterPassword (page: Page) {
    await page.goto(`${url}/login`)
    await page.getByLabel('Username or email').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  async function signIn (page: Page) {
    await enterPassword(page)
    await page.locator('#devices li').first().waitFor()
  }

  const addPasskey = () => owner.query(`
    WITH counted AS (UPDATE users SET factors_version = factors_version + 1 WHERE id = $1)
    INSERT INTO passkeys (id, user_id, public_key, device_type, backed_up, name, created_at, last_used_at)
    VALUES ('x', $1, '', 'multiDevice', true, 'Phone', now() - interval '40 days', now() - interval '2 days')`,
  [user.id])

  async function openDashboard (page: Page) {
    await signIn(page)
    await addPasskey()
    await page.reload()
    await page.locator('#passkeys li').waitFor()
  }

  const SHOTS: Record<string, (page: Page) => Promise<unknown>> = {
    login: page => page.goto(`${url}/login`),
    async 'login-wrong' (page) {
      await page.goto(`${url}/login?error=provider_a_auth_failed`)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    },
    async register (page) {
      await page.goto(`${url}/register`)
      await page.getByLabel('Username').fill('grace')
      await page.getByLabel('Password', { exact: true }).pressSequentially('Trombone 4 glass')
      await page.locator('#strength[data-score="4"], #strength[data-score="3"]').waitFor()
    },
    verify: page => page.goto(`${url}/verify-email#token=x`),
    reset: page => page.goto(`${url}/reset-password`),
    async 'reset-new' (page) {
      await page.goto(`${url}/reset-password#token=x`)
      await page.getByLabel('New password', { exact: true }).pressSequentially('password')
      await page.locator('#strength[data-score="0"]').waitFor()
    },
    dashboard: openDashboard,
    async 'second-step' (page) {
      await addPasskey()
      await enterPassword(page)
      await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    },
    async 'second-step-code' (page) {
      await addPasskey()
      await addTotp(owner, user.id)
      await enterPassword(page)
      await page.locator('#code').waitFor()
    },
    async 'dashboard-name' (page) {
      await openDashboard(page)
      await page.getByRole('button', { name: 'Add a passkey' }).click()
    },
    async 'dashboard-confirm' (page) {
      await openDashboard(page)
      await page.getByRole('button', { name: 'Remove Phone' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.locator('#confirm-passkey').waitFor()
    },
    async 'dashboard-delete' (page) {
      await signIn(page)
      await page.getByRole('button', { name: 'Delete my account' }).click()
    },
  }

  async function shoot (
    name: string,
    file: string,
    size: keyof typeof SIZES,
    colorScheme: 'light' | 'dark',
    whole: boolean,
    deviceScaleFactor: number
  ) {
    const person = await newPerson(t, browser, {
      viewport: SIZES[size],
      colorScheme,
      deviceScaleFactor,
      extraHTTPHeaders: { 'x-forwarded-for': '203.0.113.7' },
    })
    const page = await person.newPage()
    await SHOTS[name]?.(page)
    await page.waitForTimeout(300)
    await page.screenshot({ path: file, fullPage: whole })
    for (const table of ['passkeys', 'totp', 'recovery_codes']) await owner.query(`DELETE FROM ${table}`)
    await owner.query('DELETE FROM refresh_tokens WHERE user_id = $1 AND host(ip) = $2', [user.id, '203.0.113.7'])
    await owner.query("DELETE FROM auth_events WHERE host(ip) = '203.0.113.7'")
    await person.context.close()
  }

  if (!FOLDER) {
    mkdirSync('docs/images', { recursive: true })
    for (const name of ['login', 'dashboard']) {
      await shoot(name, `docs/images/${name}.png`, 'desktop', 'light', false, 1.25)
    }
    return
  }
  mkdirSync(FOLDER, { recursive: true })
  for (const name of NAMES.length > 0 ? NAMES : Object.keys(SHOTS)) {
    for (const size of ['phone', 'desktop'] as const) {
      for (const scheme of ['light', 'dark'] as const) {
        const isWhole = !/delete|name|confirm/.test(name)
        await shoot(name, join(FOLDER, `${name}-${size}-${scheme}.png`), size, scheme, isWhole, 1)
      }
    }
  }
})
