import type { FastifyInstance, InjectOptions } from 'fastify'
import type pg from 'pg'
import type { Test } from 'tap'
import { startProviderA } from '../../demo/provider-a.ts'
import { startProviderB } from '../../demo/provider-b.ts'
import { startApplication } from './application.ts'
import { createBrowser, NO_LIMITS } from './browser.ts'
import { build } from './build.ts'
import { comeBackFrom, HOME, registration } from './provider-visits.ts'

interface User {
  id: string
  send (method: string, url: string, payload?: object): Promise<unknown>
}

const PROVIDERS = '/api/auth/providers'

/** Each documented response of the routes that connect and disconnect a provider. Provider A must be configured. */
export async function exerciseProviders (owner: pg.Pool, { id, send }: User) {
  for (const name of ['unknown', 'x'.repeat(101), 'NOT']) {
    await send('POST', `${PROVIDERS}/${name}/connect`)
    await send('DELETE', `${PROVIDERS}/${name}`)
  }
  await send('POST', `${PROVIDERS}/provider-a/connect`)
  await owner.query("UPDATE users SET provider_a_id = 'connected' WHERE id = $1", [id])
  await send('POST', `${PROVIDERS}/provider-a/connect`)
  await send('DELETE', `${PROVIDERS}/provider-a`)
  await owner.query("UPDATE users SET provider_a_id = 'connected', password_hash = NULL WHERE id = $1", [id])
  await send('DELETE', `${PROVIDERS}/provider-a`)
}

/** The way back from each provider, with an application that refuses everything. */
export async function refuseAfterProviders (
  t: Test,
  send: (to: FastifyInstance, request: InjectOptions & { method: 'GET', url: string }) => Promise<unknown>
) {
  const application = await startApplication(t)
  const [a, b] = [await startProviderA(registration('provider-a')), await startProviderB(registration('provider-b'))]
  t.teardown(() => Promise.all([a.stop(), b.stop()]))
  const { app } = await build(t, {
    settings: { ...NO_LIMITS, ...a.settings, ...b.settings, ...application.settings(), PUBLIC_URL: HOME },
  })
  application.reset({ allow: false })
  for (const name of ['provider-a', 'provider-b']) {
    const browser = createBrowser(app)
    const url = await comeBackFrom(browser, name)
    await send(app, { method: 'GET', url, cookies: Object.fromEntries(browser.cookies) })
  }
}
