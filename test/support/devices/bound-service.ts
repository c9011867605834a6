import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { startProviderA } from '../../../demo/provider-a.ts'
import { createUser, NO_LIMITS } from '../browser.ts'
import { build, createDatabase } from '../build.ts'
import { startSmtp } from '../smtp.ts'
import { openBoundBrowser } from './bound-browser.ts'
import { startTlsFront } from './tls-front.ts'

export const APP_HOST = 'app.example.com'
const OTHER_SITE = 'provider.example'
export const PROOF = '/api/auth/device/proof'
export const REFRESH = '/api/auth/refresh'
export const REGISTRATION = '/api/auth/device'

/** Two instances on one database, behind HTTPS, that bind sessions to devices, and a provider on another site. */
export async function openBoundService (t: Test, settings = (_port: number): Record<string, string> => ({})) {
  const front = await startTlsFront(t, 'auth.example.com')
  const database = await createDatabase(t)
  const smtp = await startSmtp(t)
  const provider = await startProviderA({
    clientId: 'gatehouse',
    clientSecret: 'pr0vider-Secret',
    redirectUri: `${front.url}/api/auth/provider-a/callback`,
  })
  t.teardown(provider.stop)
  const common = {
    ...NO_LIMITS,
    ...database.settings,
    ...provider.settings,
    PROVIDER_A_AUTHORIZE_URL: provider.settings.PROVIDER_A_AUTHORIZE_URL.replace('127.0.0.1', OTHER_SITE),
    PUBLIC_URL: front.url,
    SMTP_URL: smtp.url,
    TRUST_PROXY: '127.0.0.1',
    DEVICE_BOUND_SESSIONS: 'on',
    ...settings(front.port),
  }

  async function startInstance (own: Record<string, string> = {}) {
    const { app } = await build(t, { settings: { ...common, ...own } })
    await app.listen({ port: 0 })
    return { app, port: (app.server.address() as AddressInfo).port }
  }

  const instances = [await startInstance(), await startInstance()] as const
  front.sendTo(...instances.map(({ port }) => port))
  const { owner } = database
  const rows = async (text: string, userId: string) => (await owner.query(text, [userId])).rows

  return {
    front,
    smtp,
    owner,
    instances,
    startInstance,
    live: (userId: string) => rows(
      'SELECT id, generation, device_key FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NULL', userId),
    alarms: async (userId: string) => (await rows(
      "SELECT FROM auth_events WHERE what = 'session_theft_suspected' AND user_id = $1", userId)).length,

    /** A person with a browser of their own, who has signed in: the session is bound. */
    async signedIn (t: Test) {
      const user = await createUser(owner)
      const browser = await openBoundBrowser(t, front, [APP_HOST, OTHER_SITE])
      await browser.signIn(user.username)
      return { user, browser }
    },
  }
}
