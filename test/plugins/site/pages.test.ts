import { gunzipSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { loadConfig, SettingsError } from '../../../src/config.ts'
import { createBrowser, createUser } from '../../support/browser.ts'
import { buildShared, BASE_SETTINGS } from '../../support/build.ts'

/** The settings that change the pages, on few services: these do not depend on each other. */
const BRANDED = {
  BRAND_NAME: 'Müller & "Co" <x>',
  BRAND_COLOR: '#ffe600',
  BRAND_LOGO: '/brand/logo.svg?a&b',
  PROVIDER_A_CLIENT_ID: 'x',
  PROVIDER_A_CLIENT_SECRET: 'y',
  REGISTRATION: 'closed',
  PUBLIC_URL: 'https://auth.example.com',
  LOGIN_REDIRECT: '/app',
}
const PLACES: Array<{ settings: Record<string, string>, origin: string, home: string }> = [
  { settings: BRANDED, origin: 'https://auth.example.com', home: '/app' },
  {
    settings: { PUBLIC_URL: 'http://localhost:3000', LOGIN_REDIRECT: '/' },
    origin: 'http://localhost:3000',
    home: '/dashboard',
  },
  {
    settings: {
      PUBLIC_URL: 'https://auth.example.com',
      APP_ORIGINS: 'https://app.example.com',
      LOGIN_REDIRECT: 'https://app.example.com/orders',
    },
    origin: 'https://auth.example.com',
    home: 'https://app.example.com/orders',
  },
  { settings: { PUBLIC_URL: 'http://127.0.0.1:3000', LOGIN_REDIRECT: '/?tab=1' }, origin: '', home: '/dashboard' },
  { settings: { PUBLIC_URL: 'http://[::1]:3000', LOGIN_REDIRECT: '/#top' }, origin: '', home: '/dashboard' },
]

const assetsIn = (html: string) => [
  ...new Set([...html.matchAll(/(?:href|src)="(\/gatehouse\/[^"]+)"/g)].map(([, path]) => path as string)),
]

t.test('GET and HEAD of every page: HTML, asked for again each time, with the security headers (200)', async t => {
  const { app } = await buildShared(t)
  for (const name of app.pages.names) {
    const answer = await app.inject(`/${name}?error=<script>`)
    t.equal(answer.statusCode, 200)
    t.match(answer.headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding, accept-language, cookie',
      'content-security-policy': /default-src 'self'/,
      'x-frame-options': 'DENY',
    })
    const start = '<!doctype html>\n<html lang="en" dir="ltr">\n<head>\n<meta http-equiv="Content-Security-Policy" '
    t.ok(answer.body.startsWith(start))
    t.notMatch(
      answer.body,
      /<%|%>|<!-- |<script>|\son\w+="|style="|<style|=undefined/,
      'filled in, no inline code'
    )
    const head = await app.inject({ method: 'HEAD', url: `/${name}` })
    t.match(head, {
      statusCode: 200,
      body: '',
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': answer.headers['content-length'] },
    })
    t.equal((await app.inject({ method: 'PUT', url: `/${name}` })).statusCode, 405)
    for (const end of [';x', ';', ';x?y=1', '%3Bx']) {
      for (const method of ['GET', 'PUT'] as const) {
        const { statusCode } = await app.inject({ method, url: `/${name}${end}` })
        t.equal(statusCode, 404, `${method} /${name}${end}`)
      }
    }
  }
})

t.test('GET of a page: compressed for browsers that accept it (200)', async t => {
  const { app } = await buildShared(t)
  for (const path of ['/login', ...Object.values(app.pages.sections)]) {
    const plain = await app.inject(path)
    t.equal(plain.headers['content-encoding'], undefined)
    const compressed = await app.inject({ url: path, headers: { 'accept-encoding': 'gzip, br' } })
    t.match(compressed.headers, { 'content-encoding': 'gzip', vary: 'accept-encoding, accept-language, cookie' })
    t.equal(gunzipSync(compressed.rawPayload).toString(), plain.body, path)
  }
})

t.test('GET /dashboard/SECTION: the page says which section it is, another address is none (200, 404)', async t => {
  const { app } = await buildShared(t)
  for (const [section, path] of Object.entries(app.pages.sections)) {
    const { statusCode, body } = await app.inject(path)
    t.equal(statusCode, 200)
    t.match(body, `data-shown="${section}"`)
    t.match(body, `<li><a href="${path}" data-to="${section}" aria-current="page">`, 'with its tab')
    t.equal(body.match(/<div class="section" data-section="\w+">/g)?.length, 1, 'the others are hidden')
  }
  for (const path of ['/dashboard/profile', '/dashboard/', '/dashboard/x', '/dashboard/__proto__']) {
    t.equal((await app.inject(path)).statusCode, 404, path)
  }
})

t.test('GET /gatehouse: cached with a version, revalidated without (200, 304)', async t => {
  const { app } = await buildShared(t)
  const assets = assetsIn((await app.inject('/dashboard')).body)
  t.ok(assets.length > 10)
  for (const path of assets) {
    const answer = await app.inject(path)
    t.match(
      answer,
      {
        statusCode: 200,
        headers: {
          'cache-control': 'public, max-age=31536000, immutable',
          etag: /^"[0-9a-f]{16}"$/,
          'cross-origin-resource-policy': 'same-site',
          'x-content-type-options': 'nosniff',
        },
      },
      path
    )
    const type = path.endsWith('.js')
      ? 'text/javascript; charset=utf-8'
      : path.endsWith('.css')
        ? 'text/css; charset=utf-8'
        : 'image/svg+xml'
    t.equal(answer.headers['content-type'], type)

    const unversioned = path.replace(/\/gatehouse\/[0-9a-f]{16}/, '/gatehouse')
    t.match(await app.inject(unversioned), {
      statusCode: 200,
      body: answer.body,
      headers: { 'cache-control': 'no-cache', etag: answer.headers.etag },
    })
    t.match(await app.inject({ url: unversioned, headers: { 'if-none-match': `"x", W/${answer.headers.etag}` } }), {
      statusCode: 304,
      body: '',
    })
    t.match(
      await app.inject(path.replace(/[0-9a-f]{16}/, '0'.repeat(16))),
      { statusCode: 200, headers: { 'cache-control': 'no-cache' } },
      'another version, as during a rolling restart'
    )
  }
  for (const path of [
    '',
    'login.eta',
    'mails/html.eta',
    '../package.json',
    '..%2fpackage.json',
    '%2e%2e/package.json',
    'texts',
    'texts/xx.js',
    'mails/texts/en.js',
    '__proto__',
    'x'.repeat(150),
  ]) {
    t.match((await app.inject(`/gatehouse/${path}`)).statusCode, 404, path)
  }
  t.equal((await app.inject(`/gatehouse/${'x'.repeat(201)}`)).statusCode, 400)
})

t.test('GET /gatehouse: compressed for browsers that accept it, with an ETag of its own (200, 304)', async t => {
  const { app } = await buildShared(t)
  const get = (headers: Record<string, string>) => app.inject({ url: '/gatehouse/client.js', headers })
  const plain = await get({})
  t.equal(plain.headers['content-encoding'], undefined)
  t.equal((await get({ 'accept-encoding': 'br, gzip;q=0' })).body, plain.body)
  const compressed = await get({ 'accept-encoding': 'gzip, deflate, br' })
  t.match(compressed.headers, { 'content-encoding': 'gzip', vary: 'accept-encoding' })
  t.equal(gunzipSync(compressed.rawPayload).toString(), plain.body)
  const known = { 'if-none-match': String(compressed.headers.etag) }
  t.equal((await get({ 'accept-encoding': 'gzip', ...known })).statusCode, 304)
  t.equal((await get(known)).statusCode, 200, 'another form of the same file')
})

t.test('every page: less than 60 kB with everything that a browser loads', async t => {
  const { app } = await buildShared(t)
  const sizeOf = async (url: string) =>
    (await app.inject({ url, headers: { 'accept-encoding': 'gzip' } })).rawPayload.length
  for (const name of app.pages.names) {
    const urls = [`/${name}`, ...assetsIn((await app.inject(`/${name}`)).body)]
    const sizes = await Promise.all(urls.map(sizeOf))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    t.ok(total < 60_000, `/${name}: ${total} bytes`)
  }
})

t.test('every page: preloads all its modules', async t => {
  const { app } = await buildShared(t)
  for (const name of app.pages.names) {
    const preloaded = assetsIn((await app.inject(`/${name}`)).body).filter(path => path.endsWith('.js'))
    const imported = (
      await Promise.all(
        preloaded.map(async path => {
          const { body } = await app.inject(path)
          return [...body.matchAll(/^(?:import|.+ from) '(\..+?)'$/gm)].map(
            ([, relative]) => new URL(relative as string, `http://x${path}`).pathname
          )
        })
      )
    ).flat()
    for (const path of imported) t.ok(preloaded.includes(path), `${name}: ${path}`)
  }
})

t.test('a page that the browser has is not sent again (304), and is compressed', async t => {
  const { app } = await buildShared(t)
  const headers = { 'accept-encoding': 'gzip', 'accept-language': 'de' }
  const first = await app.inject({ url: '/dashboard', headers })
  t.equal(first.headers['content-encoding'], 'gzip')
  t.ok(first.rawPayload.length < 8_000, `${first.rawPayload.length} bytes`)
  const again = await app.inject({ url: '/dashboard', headers: { ...headers, 'if-none-match': first.headers.etag } })
  t.equal(again.statusCode, 304)
  const inEnglish = { ...headers, 'accept-language': 'en', 'if-none-match': first.headers.etag }
  t.equal((await app.inject({ url: '/dashboard', headers: inEnglish })).statusCode, 200)
})

t.test('pages of the OpenID provider: not served at their names, and as small as the others', async t => {
  const { app } = await buildShared(t)
  for (const name of ['consent', 'confirm'] as const) {
    t.equal((await app.inject(`/${name}`)).statusCode, 404, `/${name}`)
    const html = String(app.pages.html(name, 'en').body)
    t.notMatch(html, /<%|%>|<script>|\son\w+="|style="|<style|=undefined/, 'filled in, no inline code')
    const assets = await Promise.all(assetsIn(html).map(url => app.inject(url)))
    t.strictSame(assets.filter(({ statusCode }) => statusCode !== 200), [])
    const total = assets.reduce((sum, { rawPayload }) => sum + gzipSync(rawPayload).length, html.length)
    t.ok(total < 60_000, `${name}: ${total} bytes`)
  }
})

t.test('every page: the language of Accept-Language', async t => {
  const { app } = await buildShared(t)
  const { body } = await app.inject({ url: '/login', headers: { 'accept-language': 'fi, de-AT;q=0.8, en;q=0.5' } })
  t.match(body, '<html lang="de" dir="ltr">')
  t.match(body, '<h1>Anmelden</h1>')
  t.match(body, '/texts/de.js">')
})

t.test('GET /login: brand, providers and registration by the settings', async t => {
  const { app } = await buildShared(t, { settings: BRANDED })
  const login = (await app.inject('/login')).body
  t.match(login, 'Müller &amp; &quot;Co&quot; &lt;x&gt;')
  t.match(login, '<img src="/brand/logo.svg?a&amp;b"')
  t.match(login, 'Continue with <bdi>Google</bdi>')
  t.match(login, 'data-home="/app"')
  t.notMatch(login, /GitHub<|href="\/register"/)
  t.match((await app.inject('/register')).body, /Registration is closed[^]+href="\/login"/)
  t.match((await app.inject('/gatehouse/style.css')).body, '--brand:#ffe600;--on-brand:#000000;')
  t.match((await app.inject('/gatehouse/icon.svg')).body, 'fill="#ffe600"')
})

t.test('every page: where passkeys can be used, never at an address without a domain', async t => {
  for (const { settings, origin } of PLACES) {
    const { app } = await buildShared(t, { settings })
    t.match((await app.inject('/login')).body, `data-passkey-origin="${origin}"`)
  }
})

t.test('GET /login: no provider buttons without providers', async t => {
  const { app } = await buildShared(t)
  t.notMatch((await app.inject('/login')).body, /class="or"|class="providers"/)
})

t.test('GET /: to LOGIN_REDIRECT with a session, to the login page without (302)', async t => {
  for (const { settings, home } of PLACES) {
    const { app, owner } = await buildShared(t, { settings })
    const browser = createBrowser(app)
    t.match(await browser.get('/'), { statusCode: 302, headers: { location: '/login' } })
    await browser.signIn((await createUser(owner)).username)
    t.match(await browser.get('/?x=1'), { statusCode: 302, headers: { location: home } }, home)
    browser.cookies.set('access_token', 'forged')
    t.match(await browser.get('/'), { statusCode: 302, headers: { location: '/login' } })
  }
})

t.test('GET /.well-known/change-password (302), other well-known paths (404)', async t => {
  const { app } = await buildShared(t)
  t.match(await app.inject('/.well-known/change-password'), {
    statusCode: 302,
    headers: { location: '/dashboard#password' },
  })
  t.equal(
    (await app.inject('/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200'))
      .statusCode,
    404
  )
})

const REFUSED: Array<[setting: string, values: string[]]> = [
  ['BRAND_COLOR', ['blue', '#fff', '#12345g', '#123456;}*{x:y']],
  [
    'BRAND_LOGO',
    [
      'javascript:alert(1)',
      'http://example.com/x.png',
      '//example.com/x.png',
      '/\\example.com',
      'logo.png',
      'data:image/png;base64,x',
    ],
  ],
  ['BRAND_NAME', ['x'.repeat(61)]],
]

for (const [setting, values] of REFUSED) {
  for (const value of values) {
    t.test(`${setting}=${value}: refused in one line`, async t => {
      try {
        loadConfig({}, { ...BASE_SETTINGS, DATABASE_URL: 'postgres://db', [setting]: value })
        t.fail('was accepted')
      } catch (error) {
        t.match((error as SettingsError).problems, [new RegExp(`^${setting} [^\n]+$`)])
      }
    })
  }
}
