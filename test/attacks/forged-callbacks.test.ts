import t from 'tap'
import { startProviderA } from '../../demo/provider-a.ts'
import { startProviderB } from '../../demo/provider-b.ts'
import { startProviderC } from '../../demo/provider-c.ts'
import { createBrowser } from '../support/browser.ts'
import { buildShared } from '../support/build.ts'
import { HOME, registration } from '../support/provider-visits.ts'

const a = await startProviderA(registration('provider-a'))
const b = await startProviderB(registration('provider-b'))
const gitlab = await startProviderC(registration('gitlab'), 'gitlab')
t.teardown(() => Promise.all([a.stop(), b.stop(), gitlab.stop()]))
const SETTINGS = { ...a.settings, ...b.settings, ...gitlab.settings, PROVIDERS: 'gitlab', PUBLIC_URL: HOME }

for (const path of ['provider-a', 'provider-b', 'gitlab']) {
  t.test(`GET /api/auth/${path}/callback: 250 forged ones: no event, no exchange, 429 after 100`, async t => {
    const { app, owner } = await buildShared(t, { settings: SETTINGS })
    const exchanges = () => a.exchanges + b.exchanges + gitlab.exchanges
    const before = exchanges()
    const browser = createBrowser(app)
    const key = path.replace('-', '_')
    // One start and 99 callbacks are 100 requests.
    await browser.get(`/api/auth/${path}`)
    const begun = new Map(browser.cookies)
    await browser.post('/login/passkey/options')
    const free = browser.cookies.get('passkey_challenge') as string
    const { value } = app.unsignCookie(free)
    const FORGERIES = [
      ['the free value of another cookie', { code: 'x', state: String(value) },
        { [`${key}_state`]: free, [`${key}_verifier`]: free }],
      ['another state', { code: 'x', state: 'x' }, Object.fromEntries(begun)],
      ['a refusal with another state', { error: 'access_denied', state: 'x' }, Object.fromEntries(begun)],
      ['a refusal without a state', { error: 'access_denied' }, Object.fromEntries(begun)],
      ['no cookies', { code: 'x', state: 'x' }, {}],
    ] as const
    const statuses: number[] = []
    const locations = new Set<unknown>()
    for (let each = 0; each < 250; each++) {
      const [, query, cookies] = FORGERIES[each % FORGERIES.length] as typeof FORGERIES[number]
      const { statusCode, headers } = await app.inject({
        url: `/api/auth/${path}/callback?${new URLSearchParams(query)}`,
        cookies,
        remoteAddress: browser.address,
      })
      statuses.push(statusCode)
      if (statusCode === 302) locations.add(headers.location)
    }
    t.strictSame(statuses, [...Array(99).fill(302), ...Array(151).fill(429)])
    t.strictSame([...locations], [`/login?error=${key}_auth_failed`])
    t.equal(exchanges(), before, 'no request to a token endpoint')
    t.equal((await owner.query('SELECT FROM auth_events')).rowCount, 0)
  })
}
