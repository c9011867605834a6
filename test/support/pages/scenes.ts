import { PROVIDER_C } from '../../../demo/provider-c.ts'
import { codeOf } from '../second-factor.ts'
import type { Visitor } from '../engines/visitor.ts'
import type { Gallery } from './gallery.ts'

/** Shows one page, or one state of it. Elements are found by id: the language may be any. */
export type Scene = (page: Visitor, gallery: Gallery) => Promise<unknown>

export const submit = (page: Visitor, form: string) => page.click(`#${form} [type=submit]`)

async function enterPassword (page: Visitor, { url, password }: Gallery) {
  await page.open(`${url}/login`)
  await page.fill('#username', 'ada')
  await page.fill('#password', password)
  await submit(page, 'login')
}

export async function openDashboard (page: Visitor, gallery: Gallery, section = '') {
  await enterPassword(page, gallery)
  await page.until('#account')
  if (section) await page.open(`${gallery.url}/dashboard/${section}`)
  await page.until('#account')
}

const openSection = (section: string): Scene => (page, gallery) => openDashboard(page, gallery, section)

async function openWithPasskey (page: Visitor, gallery: Gallery) {
  await openDashboard(page, gallery, 'security')
  await gallery.addPasskey()
  await page.open(await page.url())
  await page.until('#passkeys li')
}

async function setUpApp (page: Visitor, gallery: Gallery) {
  await openDashboard(page, gallery, 'security')
  await page.click('#add-totp')
  await page.until('#totp-secret:not(:empty)')
}

async function register (page: Visitor, { url, password }: Gallery) {
  await page.open(`${url}/register`)
  await page.fill('#username', 'grace')
  await page.fill('#email', 'grace@example.org')
  await page.fill('#full-name', 'Grace Hopper')
  await page.fill('#new-password', password)
  await submit(page, 'register')
  await page.until('#sent')
}

const openProvider = (name: string): Scene => async (page, { url }) => {
  await page.open(`${url}/login`)
  await page.click(`a[href^="/api/auth/${name}"]`)
  await page.until('button[value=continue]')
}

export const SCENES: Record<string, Scene> = {
  login: (page, { url }) => page.open(`${url}/login`),
  async 'login-wrong' (page, { url }) {
    await page.open(`${url}/login?error=provider_a_auth_failed`)
    await submit(page, 'login')
  },
  async 'login-refused' (page, { url }) {
    await page.open(`${url}/login`)
    await page.fill('#username', 'ada')
    await page.fill('#password', 'not it')
    await submit(page, 'login')
    await page.until('#login [role=alert]:not(:empty)')
  },
  async 'login-provider' (page, { url }) {
    await page.open(`${url}/login`)
    await page.run("document.cookie = 'gatehouse_provider=provider-b; path=/'")
    await page.open(`${url}/login`)
  },
  async 'login-languages' (page, { url }) {
    await page.open(`${url}/login`)
    await page.click('.languages summary')
  },
  async register (page, { url }) {
    await page.open(`${url}/register`)
    await page.fill('#username', 'grace')
    await page.fill('#new-password', 'Trombone 4 glass')
    await page.until('#strength[data-score="4"], #strength[data-score="3"]')
  },
  async 'register-wrong' (page, { url }) {
    await page.open(`${url}/register`)
    await page.fill('#username', 'x')
    await submit(page, 'register')
  },
  'register-sent': register,
  verify: (page, { url }) => page.open(`${url}/verify-email#token=x`),
  async 'verify-expired' (page, { url }) {
    await page.open(`${url}/verify-email#token=x`)
    await submit(page, 'confirm')
    await page.until('#again')
  },
  reset: (page, { url }) => page.open(`${url}/reset-password`),
  async 'reset-sent' (page, { url }) {
    await page.open(`${url}/reset-password`)
    await page.fill('#email', 'ada@example.org')
    await submit(page, 'ask')
    await page.until('#sent')
  },
  async 'reset-new' (page, { url }) {
    await page.open(`${url}/reset-password#token=x`)
    await page.fill('#new-password', 'password')
    await page.until('#strength[data-score="0"]')
  },
  dashboard: openSection(''),
  async 'dashboard-name' (page, gallery) {
    await openDashboard(page, gallery)
    await page.click('#edit-name')
  },
  async 'dashboard-region' (page, gallery) {
    await openDashboard(page, gallery)
    await page.click('#edit-region')
  },
  async 'dashboard-email' (page, gallery) {
    await openDashboard(page, gallery)
    await page.click('#edit-email')
  },
  async 'dashboard-email-sent' (page, gallery) {
    await openDashboard(page, gallery)
    await page.click('#edit-email')
    await page.fill('#new-email', 'ada.lovelace@example.org')
    await submit(page, 'change-email')
    await page.until('#confirm-email, #confirm-dialog')
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
    await page.until('#applications li')
  },
  'dashboard-data': openSection('data'),
  async 'dashboard-factors' (page, gallery) {
    await openWithPasskey(page, gallery)
    await gallery.addTotp()
    await page.open(await page.url())
    await page.until('#remove-totp')
  },
  async 'second-step' (page, gallery) {
    await gallery.addPasskey()
    await enterPassword(page, gallery)
    await page.until('#second-step')
  },
  async 'second-step-code' (page, gallery) {
    await gallery.addPasskey()
    await gallery.addTotp()
    await enterPassword(page, gallery)
    await page.until('#code')
  },
  'dialog-app': setUpApp,
  async 'dialog-codes' (page, gallery) {
    await setUpApp(page, gallery)
    const secret = await page.text('#totp-secret')
    await page.fill('#totp-code', codeOf(secret.replaceAll(' ', '')))
    await submit(page, 'totp-form')
    await page.until('#codes li')
  },
  async 'dialog-name' (page, gallery) {
    await openWithPasskey(page, gallery)
    await page.click('#add-passkey')
  },
  async 'dialog-confirm' (page, gallery) {
    await openWithPasskey(page, gallery)
    await page.click('#passkeys button:last-child')
    await page.click('#question-agree')
    await page.until('#confirm-passkey')
  },
  async 'dialog-question' (page, gallery) {
    await openWithPasskey(page, gallery)
    await page.click('#passkeys button:last-child')
  },
  async 'dialog-delete' (page, gallery) {
    await openDashboard(page, gallery, 'data')
    await page.click('#delete')
  },
  logout: (page, { url }) => page.open(`${url}/logout`),
  'api-docs': (page, { url }) => page.open(`${url}/docs`),
  tour: (page, { url }) => page.open(`${url}/gatehouse/demo`),
  'error-404': (page, { url }) => page.open(`${url}/nowhere`),
  'error-429': (page, { url }) => page.open(`${url}/too-often`),
  'error-503': (page, { url }) => page.open(`${url}/unavailable`),
  'mailbox-empty': (page, { url }) => page.open(`${url}/empty-mailbox`),
  async mailbox (page, gallery) {
    await register(page, gallery)
    await gallery.untilMailed()
    await page.open(`${gallery.url}/demo/mailbox`)
    await page.until('article iframe')
  },
  'provider-a': openProvider('provider-a'),
  'provider-b': openProvider('provider-b'),
  'provider-c': openProvider(PROVIDER_C),
}
