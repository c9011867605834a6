import type { Page } from 'playwright-core'
import { codeOf } from '../second-factor.ts'
import type { Gallery } from './gallery.ts'

/** Shows one page, or one state of it. Elements are found by id: the language may be any. */
type Scene = (page: Page, gallery: Gallery) => Promise<unknown>

const submit = (page: Page, form: string) => page.click(`#${form} [type=submit]:enabled`)

async function enterPassword (page: Page, { url, password }: Gallery) {
  await page.goto(`${url}/login`)
  await page.fill('#username', 'ada')
  await page.fill('#password', password)
  await submit(page, 'login')
}

async function openDashboard (page: Page, gallery: Gallery, section = '') {
  await enterPassword(page, gallery)
  await page.locator('#account').waitFor()
  if (section) await page.goto(`${gallery.url}/dashboard/${section}`)
  await page.locator('#account').waitFor()
}

const openSection = (section: string): Scene => (page, gallery) => openDashboard(page, gallery, section)

async function openWithPasskey (page: Page, gallery: Gallery) {
  await openDashboard(page, gallery, 'security')
  await gallery.addPasskey()
  await page.reload()
  await page.locator('#passkeys li').waitFor()
}

async function setUpApp (page: Page, gallery: Gallery) {
  await openDashboard(page, gallery, 'security')
  await page.click('#add-totp')
  await page.locator('#totp-secret:not(:empty)').waitFor()
}

async function register (page: Page, { url, password }: Gallery) {
  await page.goto(`${url}/register`)
  await page.fill('#username', 'grace')
  await page.fill('#email', 'grace@example.org')
  await page.fill('#full-name', 'Grace Hopper')
  await page.fill('#new-password', password)
  await submit(page, 'register')
  await page.locator('#sent').waitFor()
}

const openProvider = (name: string): Scene => async (page, { url }) => {
  await page.goto(`${url}/login`)
  await page.click(`a[href^="/api/auth/${name}"]`)
  await page.locator('button[value=continue]').waitFor()
}

const openIdPage = (name: string, values: Record<string, string> = {}): Scene => (page, { url }) =>
  page.goto(`${url}/oidc/page/${name}?${new URLSearchParams({ xsrf: 'x', ...values })}`)

export const SCENES: Record<string, Scene> = {
  login: (page, { url }) => page.goto(`${url}/login`),
  async 'login-wrong' (page, { url }) {
    await page.goto(`${url}/login?error=provider_a_auth_failed`)
    await submit(page, 'login')
  },
  async 'login-refused' (page, { url }) {
    await page.goto(`${url}/login`)
    await page.fill('#username', 'ada')
    await page.fill('#password', 'not it')
    await submit(page, 'login')
    await page.locator('#login [role=alert]:not(:empty)').waitFor()
  },
  async 'login-provider' (page, { url }) {
    await page.context().addCookies([{ name: 'gatehouse_provider', value: 'provider-b', url }])
    await page.goto(`${url}/login`)
  },
  async register (page, { url }) {
    await page.goto(`${url}/register`)
    await page.fill('#username', 'grace')
    await page.fill('#new-password', 'Trombone 4 glass')
    await page.locator('#strength[data-score="4"], #strength[data-score="3"]').waitFor()
  },
  async 'register-wrong' (page, { url }) {
    await page.goto(`${url}/register`)
    await page.fill('#username', 'x')
    await submit(page, 'register')
  },
  'register-sent': register,
  verify: (page, { url }) => page.goto(`${url}/verify-email#token=x`),
  async 'verify-expired' (page, { url }) {
    await page.goto(`${url}/verify-email#token=x`)
    await submit(page, 'confirm')
    await page.locator('#again').waitFor()
  },
  reset: (page, { url }) => page.goto(`${url}/reset-password`),
  async 'reset-sent' (page, { url }) {
    await page.goto(`${url}/reset-password`)
    await page.fill('#email', 'ada@example.org')
    await submit(page, 'ask')
    await page.locator('#sent').waitFor()
  },
  async 'reset-new' (page, { url }) {
    await page.goto(`${url}/reset-password#token=x`)
    await page.fill('#new-password', 'password')
    await page.locator('#strength[data-score="0"]').waitFor()
  },
  dashboard: openSection(''),
  async 'dashboard-name' (page, gallery) {
    await openDashboard(page, gallery)
    await page.click('#edit-name')
  },
  'dashboard-security': openWithPasskey,
  async 'dashboard-password' (page, gallery) {
    await openDashboard(page, gallery, 'security')
    await page.click('#edit-password')
  },
  'dashboard-devices': openSection('devices'),
  'dashboard-applications': openSection('applications'),
  async 'dashboard-connected' (page, gallery) {
    await gallery.addApplication()
    await openDashboard(page, gallery, 'applications')
    await page.locator('#applications li').waitFor()
  },
  'dashboard-data': openSection('data'),
  async 'dashboard-factors' (page, gallery) {
    await openWithPasskey(page, gallery)
    await gallery.addTotp()
    await page.reload()
    await page.locator('#remove-totp').waitFor()
  },
  async 'second-step' (page, gallery) {
    await gallery.addPasskey()
    await enterPassword(page, gallery)
    await page.locator('#second-passkey').waitFor()
  },
  async 'second-step-code' (page, gallery) {
    await gallery.addPasskey()
    await gallery.addTotp()
    await enterPassword(page, gallery)
    await page.locator('#code').waitFor()
  },
  'dialog-app': setUpApp,
  async 'dialog-codes' (page, gallery) {
    await setUpApp(page, gallery)
    const secret = await page.locator('#totp-secret').innerText()
    await page.fill('#totp-code', codeOf(secret.replaceAll(' ', '')))
    await submit(page, 'totp-form')
    await page.locator('#codes li').first().waitFor()
  },
  async 'dialog-name' (page, gallery) {
    await openWithPasskey(page, gallery)
    await page.click('#add-passkey')
  },
  async 'dialog-confirm' (page, gallery) {
    await openWithPasskey(page, gallery)
    await page.locator('#passkeys button').last().click()
    await page.click('#question-agree')
    await page.locator('#confirm-passkey').waitFor()
  },
  async 'dialog-delete' (page, gallery) {
    await openDashboard(page, gallery, 'data')
    await page.click('#delete')
  },
  async consent (page, gallery) {
    await openDashboard(page, gallery)
    await page.goto(`${gallery.url}/oidc/interaction/x`)
    await page.locator('#request').waitFor()
  },
  async 'consent-proof' (page, gallery) {
    await openDashboard(page, gallery)
    await page.goto(`${gallery.url}/oidc/interaction/x/confirm`)
    await page.locator('form').first().waitFor()
  },
  device: openIdPage('device'),
  'device-wrong': openIdPage('device', { typed: 'ABCD', problem: 'NotFoundError' }),
  'device-confirm': openIdPage('deviceConfirm'),
  'device-done': openIdPage('deviceDone'),
  'oidc-logout': openIdPage('logout', { action: '/', application: 'Photo Album' }),
  'signed-out': openIdPage('signedOut', { application: 'Photo Album' }),
  'oidc-error': openIdPage('error', { code: 'invalid_redirect_uri', description: 'not one of the redirect URIs' }),
  logout: (page, { url }) => page.goto(`${url}/logout`),
  tour: (page, { url }) => page.goto(`${url}/gatehouse/demo`),
  'error-404': (page, { url }) => page.goto(`${url}/nowhere`),
  'error-429': (page, { url }) => page.goto(`${url}/too-often`),
  'error-503': (page, { url }) => page.goto(`${url}/unavailable`),
  async mailbox (page, gallery) {
    await register(page, gallery)
    await gallery.untilMailed()
    await page.goto(`${gallery.url}/demo/mailbox`)
    await page.frameLocator('article iframe').first().locator('table').first().waitFor()
  },
  'provider-a': openProvider('provider-a'),
  'provider-b': openProvider('provider-b'),
}
