import t from 'tap'
import type { Page } from 'playwright-core'
import { newAttempt } from '../../src/counters/counters.ts'
import { LIMITS } from '../../src/limits/registry.ts'
import { createUser, PASSWORD } from '../support/browser.ts'
import { INSECURE_HOST, newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { addTotp, wrongCode } from '../support/second-factor.ts'

/** Runs code in a page, as an application would. */
const run = <T>(page: Page, script: string) =>
  page.evaluate<T>(`(async () => {
  const { createClient, expectOk, GatehouseError } = await import('/gatehouse/client.js')
  const client = window.client ??= createClient()
  ${script}
})()`)

t.test('browser client', { skip: withoutChromium }, async t => {
  const house = await openService(t, { TOKEN_AUDIENCES: 'orders,billing' })
  const { url, owner, port } = house
  const browser = await startChromium()

  await t.test('sign in, me, a request with a CSRF token, sign out', async t => {
    const user = await createUser(owner)
    const person = await newPerson(t, browser)
    const page = await person.newPage()
    await page.goto(`${url}/verify-email`)
    t.equal(await run(page, 'return client.me()'), null)

    person.expect('401 /login', '401 /api/content')
    t.match(
      await run(
        page,
        `return client.signIn('${user.username}', 'wrong')
          .catch(error => ({ known: error instanceof GatehouseError, ...error }))`
      ),
      { known: true, status: 401, error: 'Invalid credentials', errors: [] }
    )
    t.equal(await run(page, "return (await client.fetch('/api/content')).status"), 401, 'an ordinary response')

    t.match(await run(page, `return client.signIn('${user.username}', '${PASSWORD}')`), {
      id: user.id,
      username: user.username,
      email: user.email,
    })
    t.equal(await run(page, 'return client.isFresh()'), true, 'the access token was just issued')
    t.strictSame(await run(page, 'return client.me()'), { id: user.id, username: user.username })
    t.equal(await run(page, "return (await client.fetch('/api/sensitive', { method: 'POST' })).status"), 200)
    t.equal(
      await run(page, "return (await client.fetch(new Request('/api/sensitive', { method: 'POST' }))).status"),
      200
    )

    person.expect('403 /api/sensitive')
    await person.context.clearCookies({ name: '_csrf' })
    t.equal(
      await run(page, "return (await client.fetch('/api/sensitive', { method: 'POST' })).status"),
      200,
      'with a new token when the old one is invalid'
    )

    person.expect('401 /api/csrf-token', '401 /api/auth/password', '403 /api/auth/password')
    await person.context.clearCookies({ name: 'access_token' })
    const body = JSON.stringify({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ current: 'wrong', password: 'x' }),
    })
    t.equal(
      await run(page, `return (await (await client.fetch('/api/auth/password', ${body})).json()).error`),
      'Wrong password',
      'the body is sent again after a refresh'
    )

    await run(page, 'return client.signOut()')
    t.equal(await run(page, 'return client.me()'), null)
    t.equal(await run(page, 'return client.isFresh()'), false)
  })

  await t.test('sign in with a second factor, and confirm the identity', async t => {
    const user = await createUser(owner)
    const factor = await addTotp(owner, user.id)
    const person = await newPerson(t, browser)
    person.expect('401 /login/second-factor', '403 /api/auth/factors/recovery-codes')
    const page = await person.newPage()
    await page.goto(`${url}/verify-email`)
    const signIn = `client.signIn('${user.username}', '${PASSWORD}')`
    t.strictSame(await run(page, `return ${signIn}`), { secondFactor: ['totp', 'recovery'] })
    t.equal(await run(page, 'return client.me()'), null)
    t.match(
      await run(page, `return client.signInWithCode('${wrongCode(factor.secret)}').catch(error => ({ ...error }))`),
      { status: 401, error: 'Invalid code', methods: [] }
    )
    t.match(await run(page, `return client.signInWithCode('${await factor.freshCode()}')`), { email: user.email })
    t.equal(await run(page, 'return client.isFresh()'), true)

    await owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 day' WHERE user_id = $1", [user.id])
    const createCodes = "expectOk(client.fetch('/api/auth/factors/recovery-codes', { method: 'POST' }))"
    t.match(await run(page, `return ${createCodes}.catch(error => ({ ...error }))`), {
      status: 403,
      error: 'Confirm it is you',
      methods: ['totp', 'recovery'],
    })
    await run(page, `return client.confirm({ code: '${await factor.freshCode()}' })`)
    t.equal(await run(page, `return (await ${createCodes}).status`), 200)
  })

  await t.test('sign in: succeeds even if the session cannot be read', async t => {
    const user = await createUser(owner)
    const person = await newPerson(t, browser)
    person.expect('net::ERR_FAILED /api/auth/session')
    const page = await person.newPage()
    await page.goto(`${url}/verify-email`)
    await page.route('**/api/auth/session', route => route.abort())
    t.match(await run(page, `return client.signIn('${user.username}', '${PASSWORD}')`), { id: user.id })
    t.equal(await run(page, 'return client.isFresh()'), false)
    t.equal(await run(page, "return (await client.fetch('/api/content')).status"), 200)
  })

  await t.test('/assets/client.js, the former address: the same client', async t => {
    const page = await (await newPerson(t, browser)).newPage()
    await page.goto(`${url}/verify-email`)
    t.equal(await page.evaluate("import('/assets/client.js').then(({ createClient }) => createClient().me())"), null)
  })

  await t.test('too many logins: retryAfter is the seconds of the header, not of the body', async t => {
    const { app, url } = await openService(t, { LIMIT_LOGIN_MAX: '1' })
    const person = await newPerson(t, browser)
    // A window that began earlier: what is left of it differs from the 900 seconds in the body.
    const limit = { max: 1, windowMs: 600_000, leaseMs: 30_000 }
    await app.counters.fail(newAttempt(LIMITS.login.key(person.address)), limit)
    person.expect('429 /login')
    const page = await person.newPage()
    await page.goto(`${url}/verify-email`)
    const refused = page.waitForResponse(response => response.status() === 429)
    const retryAfter = await run<number>(
      page,
      "return client.signIn('ada', 'wrong').catch(error => error.retryAfter)"
    )
    const response = await refused
    t.equal(retryAfter, Number(response.headers()['retry-after']))
    t.ok(retryAfter > 0 && retryAfter <= 600)
    t.equal((await response.json()).retryAfter, 900)
  })

  await t.test('tokens: asked for once by all tabs, and forgotten with the session', async t => {
    const [user, other] = [await createUser(owner), await createUser(owner)]
    const person = await newPerson(t, browser)
    await person.signIn(house, user.username)
    const open = async () => {
      const page = await person.newPage()
      await page.goto(`${url}/verify-email`)
      await run(page, 'return client.me()')
      return page
    }
    const tabs = [await open(), await open()] as [Page, Page]
    const asked: string[] = []
    person.context.on('request', request => asked.push(new URL(request.url()).pathname))
    const use = (tab: Page) => run<string[]>(tab, `
      const tokens = await Promise.all(['orders', 'billing', 'orders'].map(audience => client.token(audience)))
      await expectOk(client.fetch('/api/sensitive', { method: 'POST' }))
      return tokens`)
    const [first, second] = await Promise.all(tabs.map(use))
    t.strictSame(first, second, 'the same for both tabs')
    for (let n = 0; n < 120; n++) await use(tabs[0])
    const times = (path: string) => asked.filter(each => each === path).length
    // Each tab may ask once: the second one can have its turn before the message of the first one arrives.
    t.ok(times('/api/auth/token') <= 4 && times('/api/csrf-token') <= 2, 'more often than the general limit allows')

    await run(tabs[1], `return client.signIn('${other.username}', '${PASSWORD}')`)
    const [token = ''] = await use(tabs[0])
    const { sub } = JSON.parse(String(Buffer.from(token.split('.')[1] ?? '', 'base64url')))
    t.equal(sub, other.id, 'no token of the user before')
  })

  await t.test('no CSRF token for now: an error of the client, not a response', async t => {
    const user = await createUser(owner)
    const person = await newPerson(t, browser)
    await person.signIn(house, user.username)
    const page = await person.newPage()
    await page.goto(`${url}/verify-email`)
    person.expect('429 /api/csrf-token')
    await page.route('**/api/csrf-token', route => route.fulfill({ status: 429, headers: { 'retry-after': '7' } }))
    t.match(
      await run(page, "return client.fetch('/api/sensitive', { method: 'POST' }).catch(error => ({ ...error }))"),
      { name: 'GatehouseError', status: 429, retryAfter: 7 }
    )
  })

  const TABS: Array<[what: string, origin: string, locks: boolean, refreshes: RegExp]> = [
    ['with Web Locks', url, true, /^1$/],
    ['without Web Locks', `http://${INSECURE_HOST}:${port}`, false, /^[123]$/],
  ]
  for (const [what, origin, locks, refreshes] of TABS) {
    await t.test(`many requests in three tabs, ${what}: all succeed, one session`, async t => {
      const user = await createUser(owner)
      const person = await newPerson(t, browser)
      await person.signIn({ ...house, url: origin }, user.username)
      person.expect(
        '401 /api/content',
        ...(locks ? [] : [/^The Cross-Origin-Opener-Policy header has been ignored|origin-keyed/])
      )
      const tabs = await Promise.all(
        [1, 2, 3].map(async () => {
          const page = await person.newPage()
          await page.goto(`${origin}/verify-email`)
          return page
        })
      )
      t.equal(await run(tabs[0] as Page, 'return Boolean(navigator.locks)'), locks)
      let refreshed = 0
      person.context.on('request', request => {
        if (request.url().endsWith('/api/auth/refresh')) refreshed++
      })
      for (let round = 0; round < 2; round++) {
        await person.context.clearCookies({ name: 'access_token' })
        refreshed = 0
        const statuses = await Promise.all(
          tabs.map(tab =>
            run<number[]>(
              tab,
              "return Promise.all(Array.from({ length: 5 }, async () => (await client.fetch('/api/content')).status))"
            )
          )
        )
        t.strictSame(statuses.flat(), Array(15).fill(200))
        t.match(String(refreshed), refreshes)
      }
      t.equal(
        (await owner.query('SELECT FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NOT NULL', [user.id]))
          .rowCount,
        0
      )
    })
  }
})
