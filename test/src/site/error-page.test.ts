import type { InjectOptions } from 'fastify'
import root from 'tap'
import { TooManyLogins } from '../../../src/errors.ts'
import { createBrowser, createUser } from '../../support/browser.ts'
import { build } from '../../support/build.ts'

const BROWSER = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html,*/*;q=0.8' }
const NO_DATABASE = 'postgres://127.0.0.1:1/none'

const start = (settings: Record<string, string> = {}) =>
  build(root, {
    settings,
    before: app => {
      app.register(async app => {
        app.get('/breaks', async () => {
          throw new Error('password=hunter2 in table users')
        })
        app.get('/too-often', async () => {
          throw new TooManyLogins(601)
        })
      })
    },
  })

let shared: ReturnType<typeof start> | undefined
const setUp = () => (shared ??= start())

const FAILURES: Array<[what: string, request: InjectOptions, status: number, says: RegExp, leadsTo: string]> = [
  ['unknown path', { url: '/nowhere?token=secret' }, 404, /<h1>Page not found<\/h1>/, '/'],
  ['other method', { method: 'PUT', url: '/login' }, 405, /<h1>This address is not a page<\/h1>/, '/'],
  ['too many requests', { url: '/too-often' }, 429, /Too many attempts\. You can try again in 11 minutes\./, ''],
  ['internal error', { url: '/breaks' }, 500, /<h1>Something went wrong<\/h1>/, ''],
  ['not signed in', { url: '/api/auth/me' }, 401, /<h1>This page cannot be shown<\/h1>/, '/'],
  ['not a URL', { url: '/%ZZ' }, 400, /<h1>This page cannot be shown<\/h1>/, '/'],
]

root.test('a failed navigation: a page that leads on, with all security headers', async t => {
  const { app } = await setUp()
  for (const [what, request, status, says, leadsTo] of FAILURES) {
    await t.test(`${what} (${status})`, async t => {
      const { statusCode, headers, body } = await app.inject({ ...request, headers: BROWSER })
      t.equal(statusCode, status)
      t.match(body, says)
      t.match(body, `<a class="button main" href="${leadsTo}">`)
      t.notMatch(body, /hunter2|secret|nowhere|<script|Error/)
      t.match(headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      t.match(headers, app.securityHeaders)
      t.match(headers.vary, 'sec-fetch-mode')

      const program = await app.inject(request)
      t.equal(program.statusCode, status)
      t.strictSame(Object.keys(program.json()).slice(0, 2), ['error', 'message'])
      for (const name of ['retry-after', 'allow', 'www-authenticate']) t.equal(headers[name], program.headers[name])
    })
  }
})

root.test('which requests are navigations', async t => {
  const { app } = await setUp()
  const CASES: Array<[headers: Record<string, string>, type: 'text/html' | 'application/json']> = [
    [BROWSER, 'text/html'],
    [{ ...BROWSER, accept: '*/*' }, 'text/html'],
    [{ accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }, 'text/html'],
    [{ accept: 'text/html' }, 'text/html'],
    [{}, 'application/json'],
    [{ accept: '*/*' }, 'application/json'],
    [{ accept: 'application/json' }, 'application/json'],
    [{ accept: 'application/json, text/html;q=0.9' }, 'application/json'],
    [{ accept: 'image/png' }, 'application/json'],
    [{ ...BROWSER, 'sec-fetch-mode': 'cors' }, 'application/json'],
    [{ ...BROWSER, 'sec-fetch-mode': 'no-cors' }, 'application/json'],
  ]
  for (const [headers, type] of CASES) {
    const answer = await app.inject({ url: '/nowhere', headers })
    t.equal(answer.statusCode, 404)
    t.equal(answer.headers['content-type'], `${type}; charset=utf-8`, JSON.stringify(headers))
  }
})

root.test('a failed navigation: in the language of the browser, or in the chosen one', async t => {
  const { app } = await setUp()
  const german = { ...BROWSER, 'accept-language': 'de-AT' }
  t.match((await app.inject({ url: '/nowhere', headers: german })).body, /lang="de"[^]+<h1>Seite nicht gefunden<\/h1>/)
  const chosen = { ...german, cookie: 'gatehouse_language=en' }
  t.match((await app.inject({ url: '/nowhere', headers: chosen })).body, /lang="en"[^]+<h1>Page not found<\/h1>/)
})

root.test('without PostgreSQL and Redis: a page with a way to try again (503)', async t => {
  const healthy = await setUp()
  const browser = createBrowser(healthy.app)
  await browser.signIn((await createUser(healthy.owner)).username)
  const { app } = await start({ DATABASE_URL: NO_DATABASE, REDIS_URL: 'redis://127.0.0.1:1' })
  const cookies = Object.fromEntries(browser.cookies)
  const { statusCode, headers, body } = await app.inject({ url: '/api/auth/account', headers: BROWSER, cookies })
  t.equal(statusCode, 503)
  t.match(body, /<h1>Temporarily unavailable<\/h1>[^]+<a class="button main" href="">Try again<\/a>/)
  t.match(headers, { 'retry-after': '5', ...app.securityHeaders })
  t.notMatch(body, /ECONNREFUSED|127\.0\.0\.1/)
})
