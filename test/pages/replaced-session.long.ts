import type { FastifyInstance } from 'fastify'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createUser, PASSWORD } from '../support/browser.ts'
import { INSECURE_HOST, newPerson, openService, startChromium, withoutChromium } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

const PROOF = '/api/auth/reauthenticate'
const REFRESH = '/api/auth/refresh'

/** Refreshes wait until they are released: before they are handled, or with their response. */
let held: 'request' | 'response' | undefined
let released = Promise.withResolvers<void>()
/** The response to this path is lost: the connection is cut when it is ready. */
let lost: string | undefined
let isHeld = false

async function wait (url: string, what: typeof held) {
  if (url !== REFRESH || held !== what) return
  isHeld = true
  await released.promise
}

function disturb (app: FastifyInstance) {
  app.addHook('onRequest', ({ url }) => wait(url, 'request'))
  app.addHook('onSend', async ({ url, raw }) => {
    await wait(url, 'response')
    if (url === lost) raw.socket.destroy()
  })
}

/** Runs code in a page, as an application would. */
const run = <T>(page: Page, script: string) =>
  page.evaluate<T>(`(async () => {
  const { createClient } = await import('/gatehouse/client.js')
  const client = window.client ??= createClient()
  ${script}
})()`)

const CONFIRM = `return client.confirm({ password: '${PASSWORD}' }).then(() => 'confirmed', error => error.status)`

t.test('a proof of identity in a browser', { skip: withoutChromium }, async t => {
  const house = await openService(t, {}, { before: disturb })
  const { owner, port, url } = house
  const browser = await startChromium()

  async function openTabs (t: Test, origin: string) {
    const user = await createUser(owner)
    const person = await newPerson(t, browser)
    await person.signIn({ ...house, url: origin }, user.username)
    person.expect(/^401 \/api\//, /^net::ERR_\w+ \/api\/auth\//, /Cross-Origin-Opener-Policy|origin-keyed/)
    const [first, second] = [await person.newPage(), await person.newPage()]
    for (const page of [first, second]) await page.goto(`${origin}/verify-email`)
    const live = async () => (await owner.query(
      'SELECT id FROM refresh_tokens WHERE user_id = $1 AND revoked_at IS NULL', [user.id])).rows
    return { user, person, first, second, live }
  }

  /** Begins a refresh in one tab, which is held, and then a proof in the other. */
  async function beginBoth (t: Test, origin: string, what: typeof held) {
    const tabs = await openTabs(t, origin)
    const { context } = tabs.person
    const [access] = (await context.cookies(origin)).filter(({ name }) => name === 'access_token')
    await context.clearCookies({ name: 'access_token' })
    held = what
    isHeld = false
    released = Promise.withResolvers<void>()
    const refreshing = run(tabs.first, 'return client.me()')
    await eventually(() => isHeld, Boolean)
    await context.addCookies(access ? [access] : [])
    return { ...tabs, refreshing, proving: run(tabs.second, CONFIRM) }
  }

  function release () {
    held = undefined
    released.resolve()
  }

  async function bothAreSignedIn (t: Test, tabs: Awaited<ReturnType<typeof openTabs>>) {
    const { user, person, first, second, live } = tabs
    for (const page of [first, second]) {
      t.match(await run(page, 'return client.me()'), { id: user.id })
      t.equal(await run(page, "return (await client.fetch('/api/content')).status"), 200)
    }
    await person.context.clearCookies({ name: 'access_token' })
    for (const page of [first, second]) t.match(await run(page, 'return client.me()'), { id: user.id })
    t.equal((await live()).length, 1)
  }

  await t.test('a refresh of another tab is under way: the proof waits for it, both tabs stay signed in', async t => {
    const { refreshing, proving, ...tabs } = await beginBoth(t, url, 'response')
    const waiting = 'return (await navigator.locks.query()).pending.length'
    await eventually(() => run<number>(tabs.second, waiting), count => count === 1)
    release()
    t.match(await refreshing, { id: tabs.user.id })
    t.equal(await proving, 'confirmed')
    await bothAreSignedIn(t, tabs)
  })

  await t.test('without Web Locks, a refresh with the old session is too late: both tabs stay signed in', async t => {
    const { refreshing, proving, ...tabs } = await beginBoth(t, `http://${INSECURE_HOST}:${port}`, 'request')
    t.equal(await proving, 'confirmed')
    release()
    t.match(await refreshing, { id: tabs.user.id }, 'with the cookies that the browser has now')
    await bothAreSignedIn(t, tabs)
  })

  const AFTERWARDS: Array<[what: string, goOn: (pages: { first: Page, second: Page }) => Promise<unknown>]> = [
    ['the same page goes on', ({ first }) => run(first, "return client.fetch('/api/content')")],
    ['the proof is repeated', ({ first }) => run(first, CONFIRM)],
    ['another tab goes on', ({ second }) => run(second, "return client.fetch('/api/content')")],
    ['the dashboard is opened', ({ first }) => first.goto(`${url}/dashboard`)],
    ['the login page is opened, as after an access check', ({ first }) => first.goto(`${url}/login?next=/dashboard`)],
  ]
  for (const [what, goOn] of AFTERWARDS) {
    await t.test(`the response is lost, then ${what}: the user stays signed in`, async t => {
      const { user, person, first, second, live } = await openTabs(t, url)
      const [before] = await live()
      lost = PROOF
      t.equal(await run(first, CONFIRM), 0, 'the service cannot be reached')
      lost = undefined
      t.strictNotSame(await live(), [before], 'the session was replaced nevertheless')
      await goOn({ first, second })
      for (const page of [first, second]) {
        await page.goto(`${url}/dashboard`)
        await page.waitForSelector('#account:not([hidden])')
        t.match(await run(page, 'return client.me()'), { id: user.id })
      }
      t.equal((await live()).length, 1)
      const names = (await person.context.cookies()).map(({ name }) => name)
      t.notOk(names.includes('proof_key'), 'the key has served its purpose')
    })
  }
})
