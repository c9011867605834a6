import t, { type Test } from 'tap'
import { MISBEHAVIOURS_OF_A } from '../../demo/misbehaviour.ts'
import { startProviderA } from '../../demo/provider-a.ts'
import { DEMO_USER } from '../../demo/seed.ts'
import { ask, createClient, stopsCompletely, REGISTRATION, type Choice } from '../support/demo/oauth-client.ts'

const DEMO_PERSON = { name: DEMO_USER.name, email: DEMO_USER.email }

const consoleCalls = (['log', 'info', 'warn', 'error'] as const).map(how => t.capture(console, how))

async function start (options = {}) {
  const provider = await startProviderA({ ...REGISTRATION, ...options })
  const {
    PROVIDER_A_AUTHORIZE_URL: authorizeUrl,
    PROVIDER_A_TOKEN_URL: tokenUrl,
    PROVIDER_A_USERINFO_URL: userinfoUrl,
  } = provider.settings
  return Object.assign(provider, { authorizeUrl, tokenUrl, userinfoUrl, scope: 'profile email' })
}

const provider = await start()
t.teardown(() => provider.stop())
const { authorizeUrl, userinfoUrl } = provider
const { prepare, signIn, exchange, refusal, tokenFor } = createClient(provider)

const profileOf = async (choice?: Choice) => (await ask(userinfoUrl, await tokenFor(choice))).body

t.test('code flow with PKCE: a profile (200)', async t => {
  for (const scope of ['profile email', 'openid profile email']) {
    const { callback, state, code, verifier } = await signIn({}, scope)
    t.equal(callback.href.split('?')[0], REGISTRATION.redirectUri)
    t.equal(callback.searchParams.get('state'), state)
    t.equal(callback.searchParams.get('iss'), provider.url)
    const { body: token } = await exchange({ code, verifier })
    t.match(token, { token_type: 'Bearer', access_token: String, id_token: String })
    t.strictSame((await ask(userinfoUrl, token.access_token)).body, {
      sub: '100000000003487567326',
      name: 'Ada Lovelace',
      email: 'ada@example.org',
      email_verified: true,
    })
  }
})

t.test('strict scopes: no profile without openid (403)', async t => {
  const strict = await start({ strictScope: true })
  t.teardown(() => strict.stop())
  const { tokenFor } = createClient(strict)
  t.equal((await ask(strict.userinfoUrl, await tokenFor({}, 'profile email'))).status, 403)
  t.match((await ask(strict.userinfoUrl, await tokenFor({}, 'openid profile email'))).body, {
    email: 'ada@example.org',
  })
})

t.test('token endpoint: a code works once, with verifier, secret and redirect URI', async t => {
  const { code, verifier } = await signIn()
  t.match(await exchange({ code, verifier: 'x'.repeat(43) }), { status: 400, body: { error: 'invalid_grant' } })
  t.match(await exchange({ code, verifier, secret: 'wrong' }), { status: 401, body: { error: 'invalid_client' } })
  t.match(await exchange({ code, verifier, redirectUri: 'http://localhost/other' }), {
    status: 400,
    body: { error: 'invalid_grant' },
  })
  const {
    body: { access_token: token },
  } = await exchange({ code, verifier })
  t.equal((await ask(userinfoUrl, token)).status, 200)
  t.match(await exchange({ code, verifier }), { status: 400, body: { error: 'invalid_grant' } })
  t.equal((await ask(userinfoUrl, token)).status, 401, 'the second attempt revokes the first token')
})

t.test('authorize: no PKCE challenge, back with an error', async t => {
  const { headers } = await fetch(prepare().url.replace(/&code_challenge.*/, ''), { redirect: 'manual' })
  t.match(headers.get('location'), /callback\?error=invalid_request/)
})

t.test('sign-in form: a typed name, the same user again, the email of a local account', async t => {
  const eve = { name: 'Eve "<b>"', email: 'eve@example.com' }
  const { sub, ...rest } = await profileOf({ as: eve })
  t.strictSame(rest, { ...eve, email_verified: true })
  t.match(await profileOf({ as: eve }), { sub })
  t.match(await profileOf({ as: { id: 7, email: 'new@example.com' } }), {
    sub: '100000000000000000007',
    name: undefined,
    email: 'new@example.com',
  })
  t.match(await profileOf({ as: DEMO_PERSON }), DEMO_PERSON)
})

t.test('sign-in form: a click is needed each time', async t => {
  const cookies = new Map<string, string>()
  t.ok((await signIn({ cookies })).code)
  t.ok(cookies.has('_session'))
  t.equal(await refusal({ cookies, cancel: true }), 'access_denied')
  t.match(await profileOf({ cookies, as: DEMO_PERSON }), DEMO_PERSON)
})

t.test('stop: the port is free, also during a slow response', t => stopsCompletely(t, start))

const MISBEHAVIOURS: Record<keyof typeof MISBEHAVIOURS_OF_A, (t: Test, choice: Choice) => Promise<unknown>> = {
  'no-email': async (t, choice) =>
    t.match(await profileOf(choice), { name: 'Ada Lovelace', email: undefined, email_verified: undefined }),
  'unverified-email': async (t, choice) =>
    t.match(await profileOf(choice), { email: 'ada@example.org', email_verified: false }),
  'access-denied': async (t, choice) => t.equal(await refusal(choice), 'access_denied'),
  async 'wrong-state' (t, choice) {
    const { callback, state, code } = await signIn(choice)
    t.ok(code)
    t.not(callback.searchParams.get('state'), state)
  },
  'error-in-200': async (t, choice) =>
    t.match(await exchange(await signIn(choice)), {
      status: 200,
      body: { error: 'invalid_grant', access_token: undefined },
    }),
  'token-500': async (t, choice) => t.match(await exchange(await signIn(choice)), { status: 500 }),
  'slow-token': async (t, choice) =>
    t.rejects(exchange({ ...(await signIn(choice)), signal: AbortSignal.timeout(5_000) }), { name: 'TimeoutError' }),
  'userinfo-reset': async (t, choice) => t.rejects(profileOf(choice), { cause: { code: 'ECONNRESET' } }),
}

for (const [name, check] of Object.entries(MISBEHAVIOURS)) {
  t.test(`misbehaviour: ${name}`, async t => {
    await check(t, { misbehaviour: name as keyof typeof MISBEHAVIOURS })
  })
}

t.test('misbehaviour: a preset stays until it is reset', async t => {
  provider.misbehave = 'no-email'
  await MISBEHAVIOURS['no-email'](t, {})
  provider.misbehave = undefined
  t.match(await profileOf(), { email: 'ada@example.org' })
})

t.test('sign-in form: Cancel is access_denied', async t => {
  t.equal(await refusal({ cancel: true }), 'access_denied')
})

t.test('sign-in form without its cookie, unknown client (400)', async t => {
  for (const url of [`${provider.url}/interaction/unknown`, authorizeUrl, `${authorizeUrl}?client_id=%3Cscript%3E`]) {
    const answer = await fetch(url)
    t.equal(answer.status, 400)
    t.notMatch(await answer.text(), '<script>')
  }
})

t.test('nothing was written to the console', async t => {
  t.strictSame(
    consoleCalls.flatMap(results => results()).map(({ args }) => args),
    []
  )
})
