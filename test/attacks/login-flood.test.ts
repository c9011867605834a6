// Forty connections from eight addresses that hash passwords: everybody else still gets in.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { Claimant } from '../../src/passwords/account-shares.ts'
import { Overloaded } from '../../src/errors.ts'
import { createBrowser, createUser, hashOf, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { repeatRefused } from '../support/repeat-refused.ts'

/** Hashing is what is scarce. */
const SCARCE = { HASHING_THREADS: '1', BCRYPT_COST: '8' }
const ADDRESSES = 8
const CONNECTIONS = 40
const OTHERS = 40
const BROWSERS = 150

/** A password that was checked or hashed. */
interface Turn {
  claimant: Extract<Claimant, { login: string }>
  /** How many others had their turn while it waited: a fair share does not depend on the speed of the machine. */
  overtakenBy: number
  wasFull: boolean
}

function watchTurns ({ passwords }: FastifyInstance): Turn[] {
  const turns: Turn[] = []
  let finished = 0
  async function watch<T> (claimant: Claimant | undefined, work: Promise<T>): Promise<T> {
    const before = finished
    const end = (wasFull: boolean) => {
      if (claimant && 'login' in claimant) turns.push({ claimant, overtakenBy: finished - before, wasFull })
    }
    try {
      const result = await work
      end(false)
      finished++
      return result
    } catch (error) {
      end(error instanceof Overloaded && error.reason.endsWith('is full'))
      throw error
    }
  }
  const { verify, hash } = passwords
  passwords.verify = (...args) => watch(args[2], verify(...args))
  passwords.hash = (...args) => watch(args[1], hash(...args))
  return turns
}

async function setUp (t: Test, settings: Record<string, string> = {}) {
  const { app, owner } = await build(t, { settings: { TRUST_PROXY: '127.0.0.1', ...settings } })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const hash = await hashOf(PASSWORD, app.config.BCRYPT_COST)

  async function post (path: string, body: object, address: string) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    })
    await response.arrayBuffer()
    return response
  }
  const signIn = (username: string, address: string) => post('/login', { username, password: PASSWORD }, address)
  let newcomers = 0
  function register (address: string) {
    const username = `newcomer${++newcomers}`
    return post('/register', { username, email: `${username}@example.net`, password: PASSWORD }, address)
  }

  /** Sends again and again until stopped. Returns how to stop, and the responses by status. */
  function flood (send: (address: string) => ReturnType<typeof post>) {
    const statuses: Record<number, number> = {}
    const over = new AbortController()
    const loops = Array.from({ length: CONNECTIONS }, async (_, index) => {
      while (!over.signal.aborted) {
        const { status } = await send(`203.0.113.${index % ADDRESSES}`)
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    })
    return {
      statuses,
      async stop () {
        over.abort()
        await Promise.all(loops)
      },
    }
  }
  return { app, owner, signIn, register, flood, createUser: () => createUser(owner, { password_hash: hash }) }
}

type Service = Awaited<ReturnType<typeof setUp>>

function waitedForFew (t: Test, turns: Turn[], most: number) {
  const overtakenBy = Math.max(...turns.map(each => each.overtakenBy))
  t.ok(overtakenBy <= most, `none waited for more than ${overtakenBy} others`)
  t.notOk(turns.some(({ wasFull }) => wasFull), 'there was a place for each')
}

const FLOODS: Record<string, (service: Service) => Promise<(address: string) => Promise<Response>>> = {
  'logins of one account': async ({ createUser, signIn }) => {
    const { username } = await createUser()
    return address => signIn(username, address)
  },
  'registrations, each with a new name': async ({ register }) => register,
}

for (const [name, prepare] of Object.entries(FLOODS)) {
  t.test(`forty connections with ${name}: others sign in and wait for few (200)`, async t => {
    const service = await setUp(t, { ...SCARCE, LIMIT_GENERAL_MAX: '100000' })
    const { app, createUser, signIn, flood } = service
    const turns = watchTurns(app)
    const others = await Promise.all(Array.from({ length: OTHERS }, createUser))
    const send = await prepare(service)
    const { statuses, stop } = flood(send)
    // The flood is under way.
    while (!statuses[200] && !statuses[202]) await send('203.0.113.9')

    for (let first = 0; first < OTHERS; first += 4) {
      await Promise.all(others.slice(first, first + 4).map(async ({ username }, index) => {
        const { status } = await repeatRefused(() => signIn(username, `198.51.100.${first + index}`))
        t.equal(status, 200, username)
      }))
    }
    await stop()
    t.comment('the flood', statuses)
    waitedForFew(t, turns.filter(({ claimant }) => others.some(({ username }) => username === claimant.login)), 12)
  })
}

t.test('POST /login: right passwords of one account in a loop (429), a known browser still gets in (200)', async t => {
  const { app, createUser, flood, signIn } = await setUp(t)
  const [mallory, other] = [await createUser(), await createUser()]
  const owner = createBrowser(app)
  t.equal((await owner.signIn(mallory.username)).statusCode, 200)

  const { statuses, stop } = flood(address => signIn(mallory.username, address))
  while (!statuses[429] && (statuses[200] ?? 0) < 400) await signIn(other.username, '198.51.100.200')
  await stop()
  t.comment('the flood', statuses)
  t.ok(statuses[200] as number >= 199, 'as many as people can need')
  t.ok(statuses[200] as number <= 200 + CONNECTIONS, 'not more than the limit and those that were under way')

  const refused = await signIn(mallory.username.toUpperCase(), '198.51.100.201')
  t.equal(refused.status, 429)
  const seconds = Number(refused.headers.get('retry-after'))
  t.ok(seconds > 0 && seconds <= 900, `${seconds} s`)
  t.equal((await owner.signIn(mallory.username)).statusCode, 200, 'the owner')
  t.equal((await signIn(other.username, '198.51.100.202')).status, 200, 'others')
})

t.test('POST /login: a stranger with the password, from many browsers, does not lock the owner out (200)', async t => {
  const { app, createUser } = await setUp(t, SCARCE)
  const { username } = await createUser()
  const owner = createBrowser(app)
  t.equal((await owner.signIn(username)).statusCode, 200)
  const turns = watchTurns(app)
  await owner.signIn(username)
  const [{ claimant: { browser: ownersBrowser } }] = turns as [Turn]
  const strangers = Array.from({ length: BROWSERS }, () => createBrowser(app))
  for (const browser of strangers) await browser.signIn(username)
  t.equal(strangers.filter(({ cookies }) => cookies.has('device')).length, 9, 'ten new ones in an hour are known')

  const over = new AbortController()
  const flood = Promise.all(strangers.map(async browser => {
    while (!over.signal.aborted) {
      await browser.signIn(username)
      await sleep(20)
    }
  }))
  for (let each = 0; each < 4; each++) t.equal((await owner.signIn(username)).statusCode, 200)
  over.abort()
  await flood
  waitedForFew(t, turns.filter(({ claimant }) => claimant.browser?.id === ownersBrowser?.id), 40)
})

t.test('every request that hashes a password of an account has the share of the account', async t => {
  const { app, owner } = await build(t, { settings: NO_LIMITS })
  const { username, id } = await createUser(owner, { password_hash: await hashOf(PASSWORD) })
  const claimants: unknown[] = []
  const { verify, hash } = app.passwords
  app.passwords.verify = (...args) => {
    claimants.push(args[2])
    return verify(...args)
  }
  app.passwords.hash = (...args) => {
    claimants.push(args[1])
    return hash(...args)
  }
  const browser = createBrowser(app)
  await browser.signIn(username)
  t.strictSame(claimants.splice(0), [{ login: username, browser: undefined }])

  t.equal((await browser.guarded('POST', '/api/auth/reauthenticate', { password: PASSWORD })).statusCode, 204)
  const password = 'gl4ss-Harmonica-7!'
  const change = { current: PASSWORD, password }
  t.equal((await browser.guarded('POST', '/api/auth/password', change)).statusCode, 204)
  await browser.signIn(username, password)
  const ofKnownBrowser = { login: username, browser: { user: { id } } }
  t.match(claimants.splice(0), [ofKnownBrowser, ofKnownBrowser, ofKnownBrowser, ofKnownBrowser])

  const token = await app.oneTimeTokens.issue(id, 'reset')
  const reset = await browser.post('/reset-password/confirm', { token, password: PASSWORD })
  t.equal(reset.statusCode, 204)
  t.strictSame(claimants.splice(0), [{ login: username }])
  await browser.post('/register', { username: 'newcomer', email: 'newcomer@example.com', password })
  t.match(claimants.splice(0), [{ client: /^10\./ }])
})
