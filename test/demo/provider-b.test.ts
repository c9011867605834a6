import { get } from 'node:http'
import t, { type Test } from 'tap'
import type { Misbehaviour, MISBEHAVIOURS_OF_B } from '../../demo/misbehaviour.ts'
import { startProviderB } from '../../demo/provider-b.ts'
import { ask, createClient, stopsCompletely, REGISTRATION, type Choice } from '../support/demo/oauth-client.ts'

async function start () {
  const provider = await startProviderB(REGISTRATION)
  const {
    PROVIDER_B_AUTHORIZE_URL: authorizeUrl,
    PROVIDER_B_TOKEN_URL: tokenUrl,
    PROVIDER_B_USERINFO_URL: userUrl,
    PROVIDER_B_EMAILS_URL: emailsUrl,
  } = provider.settings
  return Object.assign(provider, { authorizeUrl, tokenUrl, userUrl, emailsUrl, scope: 'user:email' })
}

const provider = await start()
t.teardown(() => provider.stop())
const { authorizeUrl, tokenUrl, userUrl, emailsUrl } = provider
const { prepare, signIn, exchange, refusal, tokenFor } = createClient(provider)

const BAD_CODE = { status: 200, body: { error: 'bad_verification_code', access_token: undefined } }
const ADA = 'ada@example.org'

async function profileOf (choice?: Choice) {
  const token = await tokenFor(choice)
  const [user, emails] = [await ask(userUrl, token), await ask(emailsUrl, token)]
  return {
    user: user.body,
    emails: emails.body,
    primary: emails.body.find(({ primary }: { primary: boolean }) => primary),
    links: emails.headers.get('link') ?? '',
    token,
  }
}

t.test('code flow with PKCE: a user and emails (200)', async t => {
  const { callback, state, code, verifier } = await signIn()
  t.equal(callback.href.split('?')[0], REGISTRATION.redirectUri)
  t.equal(callback.searchParams.get('state'), state)
  t.equal(callback.searchParams.get('iss'), `${provider.url}/login/oauth`)
  const { body: token } = await exchange({ code, verifier })
  t.match(token, { access_token: /^gho_/, token_type: 'bearer', scope: 'user:email' })
  for (const scheme of ['Bearer', 'token']) {
    t.match(await ask(userUrl, token.access_token, scheme), {
      status: 200,
      body: { id: 3487567326, login: 'ada', name: 'Ada Lovelace', email: ADA },
    })
  }
  t.match((await profileOf()).primary, { email: ADA, primary: true, verified: true, visibility: 'public' })
})

t.test('token endpoint: a code works once; a refusal has status 200', async t => {
  const once = await signIn()
  t.match(await exchange({ ...once, secret: 'wrong' }), {
    status: 200,
    body: { error: 'incorrect_client_credentials' },
  })
  t.match(await exchange(once), { status: 200, body: { access_token: String } })
  t.match(await exchange(once), BAD_CODE)
  t.match(await exchange({ ...(await signIn()), verifier: 'x'.repeat(43) }), BAD_CODE)
  t.match(await exchange({ ...(await signIn()), redirectUri: 'http://localhost/other' }), {
    status: 200,
    body: { error: 'redirect_uri_mismatch' },
  })
})

t.test('token endpoint: JSON or form, credentials in the body', async t => {
  const { code, verifier } = await signIn()
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: REGISTRATION.clientId,
      client_secret: REGISTRATION.clientSecret,
      code,
      code_verifier: verifier,
    }),
  })
  t.match(await answer.text(), /^access_token=gho_\w+&token_type=bearer&scope=user%3Aemail$/)
})

t.test('GET /user, /user/emails: bad token (401), no scope (404), no user agent (403)', async t => {
  t.equal((await fetch(userUrl)).status, 401)
  t.match(await ask(emailsUrl, 'gho_wrong'), { status: 401, body: { message: 'Bad credentials' } })
  t.equal((await ask(emailsUrl, await tokenFor({}, 'repo'))).status, 404)
  const headers = { authorization: `Bearer ${await tokenFor()}` }
  t.equal(await new Promise(resolve => get(userUrl, { headers }, answer => resolve(answer.resume().statusCode))), 403)
})

t.test('authorize: unknown client (404), other redirect URI, plain challenge', async t => {
  const redirected = async (url: string) => (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? ''
  const { url } = prepare()
  t.equal((await fetch(`${authorizeUrl}?client_id=other`)).status, 404)
  t.match(
    await redirected(url.replace('callback', 'other')),
    `${REGISTRATION.redirectUri}?error=redirect_uri_mismatch`
  )
  t.match(await redirected(url.replace('S256', 'plain')), 'error=invalid_request')
})

t.test('sign-in form: a typed user, without a name, with another email', async t => {
  const { user } = await profileOf({ as: { name: 'Eve "<b>"', email: 'eve.x@example.com' } })
  t.match(user, { name: 'Eve "<b>"', email: 'eve.x@example.com', login: 'eve-x' })
  t.match(await profileOf({ as: { id: user.id, login: 'eve', email: 'new@example.com' } }), {
    user: { id: user.id, login: 'eve', name: null },
    primary: { email: 'new@example.com' },
  })
})

t.test('stop: the port is free, also during a slow response', t => stopsCompletely(t, start))

const MISBEHAVIOURS: Record<keyof typeof MISBEHAVIOURS_OF_B, (t: Test, choice: Choice) => Promise<unknown>> = {
  async 'no-email' (t, choice) {
    const { user, emails } = await profileOf(choice)
    t.equal(user.email, null)
    t.strictSame(emails, [])
  },
  'unverified-email': async (t, choice) =>
    t.match(await profileOf(choice), { user: { email: ADA }, primary: { email: ADA, verified: false } }),
  'email-only-in-list': async (t, choice) =>
    t.match(await profileOf(choice), {
      user: { email: null },
      primary: { email: ADA, verified: true, visibility: 'private' },
    }),
  async 'private-email' (t, choice) {
    const { user, emails, primary, links, token } = await profileOf(choice)
    t.equal(user.email, null)
    t.equal(emails.length, 30)
    t.equal(primary, undefined, 'not on the first page')
    const { body, headers } = await ask(links.match(/<([^>]+)>; rel="next"/)?.[1] ?? '', token)
    t.match(body.at(-1), { email: ADA, primary: true, verified: true })
    t.match(headers.get('link'), 'rel="prev"')
    t.notMatch(headers.get('link'), 'rel="next"')
  },
  'access-denied': async (t, choice) => t.equal(await refusal(choice), 'access_denied'),
  async 'wrong-state' (t, choice) {
    const { callback, state, code } = await signIn(choice)
    t.ok(code)
    t.not(callback.searchParams.get('state'), state)
  },
  'error-in-200': async (t, choice) => t.match(await exchange(await signIn(choice)), BAD_CODE),
  'token-500': async (t, choice) => t.match(await exchange(await signIn(choice)), { status: 500 }),
  'slow-token': async (t, choice) =>
    t.rejects(exchange({ ...(await signIn(choice)), signal: AbortSignal.timeout(5_000) }), { name: 'TimeoutError' }),
  'userinfo-reset': async (t, choice) => t.rejects(profileOf(choice), { cause: { code: 'ECONNRESET' } }),
}

for (const [name, check] of Object.entries(MISBEHAVIOURS)) {
  t.test(`misbehaviour: ${name}`, async t => {
    await check(t, { misbehaviour: name as Misbehaviour })
  })
}

t.test('misbehaviour: a preset stays until it is reset', async t => {
  provider.misbehave = 'no-email'
  await MISBEHAVIOURS['no-email'](t, {})
  provider.misbehave = undefined
  t.match(await profileOf(), { user: { email: ADA } })
})

t.test('sign-in form: Cancel is access_denied', async t => {
  t.equal(await refusal({ cancel: true }), 'access_denied')
})
