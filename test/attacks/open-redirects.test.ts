import t from 'tap'
import { build } from '../support/build.ts'
import { createBrowser, NO_LIMITS } from '../support/browser.ts'
import { AUTH as OURS, LAYOUTS } from '../support/two-hosts.ts'

// For `next` in the pages see test/pages/safe-next.test.ts, and in a browser test/pages/login.test.ts.

const EVIL = [
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  '/%09/evil.example',
  '/%5cevil.example',
  'javascript:alert(1)',
  'https://auth.example.com@evil.example',
  'https://auth.example.com.evil.example',
  '/%0d%0aLocation:%20https://evil.example',
  '%2f%2fevil.example',
  '/..//evil.example',
  'evil.example',
  'https://app.example.com@evil.example',
  'https://app.example.com.evil.example',
  'https://x.app.example.com',
  'http://app.example.com',
]
const NAMES = [
  'next',
  'redirect',
  'redirect_uri',
  'redirect_to',
  'returnTo',
  'return_to',
  'url',
  'continue',
  'callback',
  'error',
  'error_description',
  'error_uri',
  'iss',
  'state',
  'code',
]

for (const [layout, settings] of LAYOUTS) {
  t.test(`open redirects: no query, path or header leads to another site, ${layout}`, async t => {
    const { app } = await build(t, {
      settings: {
        ...NO_LIMITS,
        ...settings,
        PROVIDER_A_CLIENT_ID: 'gatehouse',
        PROVIDER_A_CLIENT_SECRET: 'secret',
        PROVIDER_A_TOKEN_URL: 'https://127.0.0.1:1/',
      },
    })
    const locations = new Set<string>()
    let redirects = 0
    for (const evil of EVIL) {
      for (const path of [
        '/api/auth/provider-a',
        '/api/auth/provider-a/callback',
        '/api/auth/provider-b',
        '/api/auth/provider-b/callback',
        '/.well-known/change-password',
        '/api/auth/verify',
      ]) {
        const browser = createBrowser(app)
        await browser.get('/api/auth/provider-a')
        const { headers } = await browser.send(
          'GET',
          `${path}?${NAMES.map(name => `${name}=${evil}`).join('&')}&signed-out=redirect`,
          undefined,
          {
            accept: 'text/html',
            'sec-fetch-mode': 'navigate',
            'sec-fetch-dest': 'document',
            'x-forwarded-uri': evil,
            'x-forwarded-host': 'evil.example',
            'x-forwarded-method': 'GET',
          }
        )
        if (!headers.location) continue
        redirects++
        const { origin, pathname } = new URL(String(headers.location), OURS)
        locations.add(`${origin}${pathname}`)
      }
      for (const path of [evil, `/${evil}`, `//${evil}/login`, `/login/${evil}`, `/login/..${evil}`]) {
        const { headers } = await app.inject({ url: encodeURI(path.startsWith('/') ? path : `/${path}`) })
        t.equal(headers.location, undefined, path)
      }
    }
    t.ok(redirects > 50, `${redirects} redirects`)
    t.strictSame([...locations].sort(), [
      'https://accounts.google.com/o/oauth2/v2/auth',
      `${OURS}/dashboard`,
      `${OURS}/login`,
    ])
  })
}
