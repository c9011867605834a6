import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import t, { type Test } from 'tap'
import { createBrowser, createUser, type Browser } from '../../support/browser.ts'
import { beginSignIn, CALLBACK, startProvider, type RelyingParty } from '../../support/openid/provider.ts'
import { addTotp } from '../../support/second-factor.ts'

// Random sequences of everything that begins, renews and ends a session, on several browsers of two users and at an
// application, checked against a small model after each step. A failing run prints its seed.

const GRACE = 30
const BROWSERS = 3
const RUNS = 10
const STEPS = 80

interface Token {
  value: string
  family: Family
  rotatedAt?: number
  successor?: Token
}
interface Family {
  user: number
  alive: boolean
  tokens: Token[]
}
/** A sign-in to the application. It ends with its family, which is its own with offline access. */
interface Grant {
  family: Family
  isOffline: boolean
  alive: boolean
  tokens: GrantToken[]
}
interface GrantToken {
  grant: Grant
  refresh: string
  access: string
  rotatedAt?: number
  successor?: GrantToken
}

class Model {
  now = 0
  families: Family[] = []
  /** The token in the cookie of each browser. */
  holds: Array<Token | undefined> = Array(BROWSERS).fill(undefined)
  passwords = ['', '']
  /** The second factor of each user. */
  factors: Array<Awaited<ReturnType<typeof addTotp>> | undefined> = [undefined, undefined]

  grants: Grant[] = []

  get tokens () {
    return this.families.flatMap(family => family.tokens)
  }

  get grantTokens () {
    return this.grants.flatMap(grant => grant.tokens)
  }

  /** The expected result of a refresh with this token. */
  expect (token: Token | GrantToken): 'rotates' | 'same successor' | 'refused' | 'kills' {
    if (!isAlive('grant' in token ? token.grant : token.family)) return 'refused'
    if (!token.successor) return 'rotates'
    const inGrace = this.now - (token.rotatedAt as number) < GRACE
    return inGrace && !token.successor.successor ? 'same successor' : 'kills'
  }
}

const isAlive = (either: Family | Grant) => either.alive && (!('family' in either) || either.family.alive)

function endGrant (grant: Grant) {
  grant.alive = false
  if (grant.isOffline) grant.family.alive = false
}

interface Real {
  app: FastifyInstance
  owner: pg.Pool
  browsers: Browser[]
  application: RelyingParty
  users: Array<{ id: string, username: string }>
}
type Step = fc.AsyncCommand<Model, Real>

const userOf = (browser: number) => browser % 2
const refreshCookie = (answer: Awaited<ReturnType<Browser['refresh']>>) =>
  answer.cookies.find(cookie => cookie.name === 'refresh_token')?.value as string

function equal (found: unknown, wanted: unknown, what: string) {
  if (found !== wanted) throw new Error(`${what}: found ${found}, wanted ${wanted}`)
}

async function refreshWith (token: Token, browser: Browser, model: Model): Promise<Token | undefined> {
  const expected = model.expect(token)
  const answer = await browser.refresh()
  if (expected === 'refused' || expected === 'kills') {
    equal(answer.statusCode, 401, expected)
    equal(answer.cookies.length, expected === 'kills' ? 2 : 0, 'only a reuse clears the cookies')
    token.family.alive = false
    return expected === 'kills' ? undefined : token
  }
  equal(answer.statusCode, 200, expected)
  if (expected === 'same successor') {
    equal(refreshCookie(answer), token.successor?.value, expected)
    return token.successor
  }
  token.rotatedAt = model.now
  token.successor = { value: refreshCookie(answer), family: token.family }
  token.family.tokens.push(token.successor)
  return token.successor
}

/** One live token in each live family, none in the others. */
async function checkInvariants (model: Model, { app, users }: Real) {
  const live = (await Promise.all(users.map(user => app.sessionsStore.live(user.id)))).flat()
  equal(live.length, model.families.filter(family => family.alive).length, 'live sessions')
  equal(new Set(live.map(session => session.id)).size, live.length, 'one live token in each family')
}

const step = (
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>
): Step => ({
  check,
  toString: () => name,
  async run (model, real) {
    await run(model, real)
    await checkInvariants(model, real)
  },
})

const signIn = (browser: number) =>
  step(
    `sign in on ${browser}`,
    () => true,
    async (model, { browsers, users }) => {
      const user = userOf(browser)
      let answer = await browsers[browser]!.signIn(users[user]!.username, model.passwords[user])
      const factor = model.factors[user]
      if (factor) {
        equal(answer.statusCode, 202, 'first step')
        equal(refreshCookie(answer), undefined, 'no token without the second factor')
        answer = await browsers[browser]!.post('/login/second-factor', { code: await factor.freshCode() })
      }
      equal(answer.statusCode, 200, 'sign in')
      const previous = model.holds[browser]
      if (previous) previous.family.alive = false
      const family: Family = { user, alive: true, tokens: [] }
      const token = { value: refreshCookie(answer), family }
      family.tokens.push(token)
      model.families.push(family)
      model.holds[browser] = token
    }
  )

/** The password alone opens no session and ends none. */
const firstStep = (browser: number) =>
  step(
    `first step on ${browser}`,
    model => model.factors[userOf(browser)] !== undefined,
    async (model, { browsers, users }) => {
      const user = userOf(browser)
      const answer = await browsers[browser]!.signIn(users[user]!.username, model.passwords[user])
      equal(answer.statusCode, 202, 'first step')
    }
  )

const addFactor = (user: number) =>
  step(
    `second factor of ${user}`,
    model => model.factors[user] === undefined,
    async (model, { owner, users }) => { model.factors[user] = await addTotp(owner, users[user]!.id) }
  )

const resetFactors = (user: number) =>
  step(
    `reset the factors of ${user}`,
    model => model.factors[user] !== undefined,
    async (model, { app, users }) => {
      const account = await app.users.findById(users[user]!.id)
      if (account) await app.administration.resetFactors(account)
      model.factors[user] = undefined
    }
  )

const refresh = (browser: number) =>
  step(
    `refresh on ${browser}`,
    model => model.holds[browser] !== undefined,
    async (model, { browsers }) => {
      model.holds[browser] = await refreshWith(model.holds[browser] as Token, browsers[browser] as Browser, model)
    }
  )

const replay = (choice: number) =>
  step(
    `replay token ${choice}`,
    model => model.tokens.length > 0,
    async (model, { app }) => {
      const token = model.tokens[choice % model.tokens.length] as Token
      const thief = createBrowser(app)
      thief.cookies.set('refresh_token', token.value)
      await refreshWith(token, thief, model)
    }
  )

/** The token that a slow tab or a thief may still hold. */
const replayParent = (browser: number) =>
  step(
    `replay the parent of what ${browser} holds`,
    model => parentOf(model, browser) !== undefined,
    async (model, { app }) => {
      const token = parentOf(model, browser) as Token
      const slowTab = createBrowser(app)
      slowTab.cookies.set('refresh_token', token.value)
      await refreshWith(token, slowTab, model)
    }
  )

const parentOf = (model: Model, browser: number) =>
  model.tokens.find(token => token.successor && token.successor === model.holds[browser])

const logout = (browser: number) =>
  step(
    `log out on ${browser}`,
    () => true,
    async (model, { browsers }) => {
      equal((await browsers[browser]!.post('/logout')).statusCode, 204, 'log out')
      const held = model.holds[browser]
      if (held) held.family.alive = false
      model.holds[browser] = undefined
    }
  )

const endOthers = (browser: number) =>
  step(
    `end others from ${browser}`,
    model => model.holds[browser] !== undefined,
    async (model, { browsers }) => {
      const own = model.holds[browser]?.family
      equal(
        (await browsers[browser]!.guarded('DELETE', '/api/auth/sessions')).statusCode,
        own?.alive ? 204 : 401,
        'end others'
      )
      if (!own?.alive) return
      for (const family of model.families) if (family.user === userOf(browser) && family !== own) family.alive = false
    }
  )

const reset = (user: number, suffix: number) =>
  step(
    `reset ${user}`,
    () => true,
    async (model, { app, users }) => {
      const token = await app.oneTimeTokens.issue(users[user]!.id, 'reset')
      const password = `br4nd-New-${suffix}-kettle!`
      const answer = await createBrowser(app).post('/reset-password/confirm', { token, password })
      equal(answer.statusCode, 204, `reset ${answer.body}`)
      model.passwords[user] = password
      for (const family of model.families) if (family.user === user) family.alive = false
    }
  )

const timePasses = (seconds: number) =>
  step(
    `${seconds} s pass`,
    () => true,
    async (model, { owner }) => {
      model.now += seconds
      for (const table of ['refresh_tokens', 'application_grants']) {
        await owner.query(`UPDATE ${table} SET rotated_at = rotated_at - make_interval(secs => $1)`, [seconds])
      }
    }
  )

/** The application asks the provider. */
async function ask ({ app, application: { id, secret } }: Real, path: string, form: Record<string, string>) {
  return app.inject({
    method: 'POST',
    url: `/oidc/${path}`,
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams(form).toString(),
  })
}

const signInToApplication = (browser: number, isOffline: boolean) =>
  step(
    `sign in to the application on ${browser}${isOffline ? ', offline' : ''}`,
    () => true,
    async (model, real) => {
      const scope = isOffline ? 'openid offline_access' : 'openid'
      const { path, checks } = await beginSignIn(real.application, { scope })
      const { location } = (await real.browsers[browser]!.get(path)).headers
      const own = model.holds[browser]?.family
      const code = new URL(String(location), 'http://same').searchParams.get('code')
      equal(code !== null, own?.alive ?? false, 'a code')
      if (!own || !code) return
      const answer = await ask(real, 'token', {
        grant_type: 'authorization_code',
        code,
        code_verifier: checks.pkceCodeVerifier,
        redirect_uri: CALLBACK,
      })
      equal(answer.statusCode, 200, `exchange ${answer.body}`)
      const family: Family = isOffline ? { user: own.user, alive: true, tokens: [] } : own
      if (isOffline) model.families.push(family)
      const grant: Grant = { family, isOffline, alive: true, tokens: [] }
      const { refresh_token: refresh, access_token: access } = answer.json()
      grant.tokens.push({ grant, refresh, access })
      model.grants.push(grant)
    }
  )

const refreshApplication = (choice: number, which: 'latest' | 'previous' | 'any') =>
  step(
    `refresh of the application with ${which} token ${choice}`,
    model => model.grants.length > 0,
    async (model, real) => {
      const grant = model.grants[choice % model.grants.length] as Grant
      const all = which === 'any' ? model.grantTokens : grant.tokens.slice(which === 'previous' ? -2 : -1)
      const token = all[which === 'previous' ? 0 : choice % all.length] as GrantToken
      const expected = model.expect(token)
      const answer = await ask(real, 'token', { grant_type: 'refresh_token', refresh_token: token.refresh })
      if (expected === 'refused' || expected === 'kills') {
        equal(`${answer.statusCode} ${answer.json().error}`, '400 invalid_grant', expected)
        return endGrant(token.grant)
      }
      const { refresh_token: refresh, access_token: access } = answer.json()
      equal(answer.statusCode, 200, expected)
      if (expected === 'same successor') return equal(refresh, token.successor?.refresh, expected)
      token.rotatedAt = model.now
      token.successor = { grant: token.grant, refresh, access }
      token.grant.tokens.push(token.successor)
    }
  )

const useAccessToken = (choice: number) =>
  step(
    `access token ${choice} of the application`,
    model => model.grants.length > 0,
    async (model, real) => {
      const { access, grant } = model.grantTokens[choice % model.grantTokens.length] as GrantToken
      const headers = { authorization: `Bearer ${access}` }
      const { statusCode } = await real.app.inject({ url: '/oidc/userinfo', headers })
      equal(statusCode, isAlive(grant) ? 200 : 401, 'userinfo')
      equal((await ask(real, 'introspect', { token: access })).json().active, isAlive(grant), 'active')
    }
  )

const revoke = (choice: number, kind: 'refresh' | 'access') =>
  step(
    `revoke ${kind} token ${choice} of the application`,
    model => model.grants.length > 0,
    async (model, real) => {
      const token = model.grantTokens[choice % model.grantTokens.length] as GrantToken
      equal((await ask(real, 'revoke', { token: token[kind] })).statusCode, 200, 'revoke')
      endGrant(token.grant)
    }
  )

/** A new proof replaces the session: the browser and the application go on. */
const prove = (browser: number) =>
  step(
    `new proof on ${browser}`,
    // With a factor, the password alone would be refused.
    model => model.holds[browser]?.family.alive === true && model.factors[userOf(browser)] === undefined,
    async (model, { browsers }) => {
      const password = model.passwords[userOf(browser)]
      const answer = await browsers[browser]!.guarded('POST', '/api/auth/reauthenticate', { password })
      equal(answer.statusCode, 204, `proof ${answer.body}`)
      const before = (model.holds[browser] as Token).family
      const family: Family = { user: before.user, alive: true, tokens: [] }
      const token = { value: refreshCookie(answer), family }
      family.tokens.push(token)
      model.families.push(family)
      model.holds[browser] = token
      before.alive = false
      for (const grant of model.grants) if (grant.family === before) grant.family = family
    }
  )

const browser = fc.nat(BROWSERS - 1)
const grantToken = fc.nat(1_000)
const END_OF_SESSIONS = [
  browser.map(logout),
  browser.map(endOthers),
  fc.tuple(fc.nat(1), fc.nat(9_999)).map(([user, suffix]) => reset(user, suffix)),
]
// Never near the end of the grace period, since the steps themselves take time.
const TIME = fc.constantFrom(10, 40).map(timePasses)

const OF_BROWSERS = [
  browser.map(signIn),
  browser.map(signIn),
  browser.map(firstStep),
  fc.nat(1).map(addFactor),
  fc.nat(1).map(resetFactors),
  browser.map(refresh),
  browser.map(refresh),
  browser.map(refresh),
  fc.nat(1_000).map(replay),
  browser.map(replayParent),
  browser.map(replayParent),
  browser.map(replayParent),
  ...END_OF_SESSIONS,
  TIME,
  TIME,
]

const ofApplication = [
  fc.tuple(browser, fc.boolean()).map(([browser, isOffline]) => signInToApplication(browser, isOffline)),
  grantToken.map(choice => refreshApplication(choice, 'latest')),
  grantToken.map(choice => refreshApplication(choice, 'previous')),
  grantToken.map(choice => refreshApplication(choice, 'any')),
  grantToken.map(useAccessToken),
  browser.map(prove),
]
const OF_AN_APPLICATION = [
  ...ofApplication,
  ...ofApplication,
  ...ofApplication,
  browser.map(signIn),
  browser.map(signIn),
  browser.map(refresh),
  grantToken.map(choice => revoke(choice, 'refresh')),
  grantToken.map(choice => revoke(choice, 'access')),
  ...END_OF_SESSIONS,
  TIME,
  TIME,
]

const provider = await startProvider(t)
const { app, owner } = provider
const application = await provider.addApplication()

/** `first`: before each sequence. */
async function checkSequences (t: Test, kinds: Array<fc.Arbitrary<Step>>, first: Step[] = []) {
  let steps = 0
  await fc.assert(
    fc.asyncProperty(fc.commands(kinds, { maxCommands: STEPS, size: 'max' }), async commands => {
      await owner.query('DELETE FROM users')
      const users = [await createUser(owner), await createUser(owner)]
      const model = new Model()
      model.passwords = users.map(user => user.password)
      const browsers = Array.from({ length: BROWSERS }, () => createBrowser(app))
      const real: Real = { app, owner, users, browsers, application }
      steps += [...commands].length
      for (const step of first) await step.run(model, real)
      await fc.asyncModelRun(() => ({ model, real }), commands)
    }),
    { numRuns: RUNS }
  )
  t.comment(`${RUNS} runs, ${steps} steps`)
  t.ok(steps > (RUNS * STEPS) / 4, 'enough steps of each kind')
}

t.test('random sequences: sessions behave as the model says', t => checkSequences(t, OF_BROWSERS))

t.test('random sequences: what an application got behaves as the model says', t => {
  const first = [0, 1, 2].flatMap(browser => [signIn(browser), signInToApplication(browser, browser === 0)])
  return checkSequences(t, OF_AN_APPLICATION, first)
})
