import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { createDatabase } from '../../support/build.ts'
import { beginSignIn, CALLBACK, follow, startProvider, type Provider } from '../../support/openid/provider.ts'

const { owner, settings } = await createDatabase(t)
const one = await startProvider(t, settings)
const other = await startProvider(t, { ...settings, PUBLIC_URL: one.issuer })
const application = await one.addApplication()
const authorization = `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}`

async function ask ({ issuer: address }: Provider, path: string, form: Record<string, string>, more = {}) {
  const response = await fetch(`${address}/oidc/${path}`, {
    method: 'POST',
    headers: { authorization, ...more },
    body: new URLSearchParams(form),
  })
  return { status: response.status, body: await response.json() as Record<string, string | boolean> }
}

async function signedIn () {
  const { username } = await createUser(owner)
  const browser = one.browse()
  await browser.signIn(username)
  return browser
}

/** The form of an exchange. The code comes from the first instance. */
async function authorize (browser: Awaited<ReturnType<typeof signedIn>>, scope = 'openid') {
  const { path, checks } = await beginSignIn(application, { scope })
  const { location } = await follow(browser, path)
  return {
    grant_type: 'authorization_code',
    code: location?.searchParams.get('code') ?? '',
    code_verifier: checks.pkceCodeVerifier,
    redirect_uri: CALLBACK,
  }
}

const refresh = (provider: Provider, token: unknown) =>
  ask(provider, 'token', { grant_type: 'refresh_token', refresh_token: String(token) })

const userinfo = async ({ issuer: address }: Provider, token: unknown) =>
  (await fetch(`${address}/oidc/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status

t.test('a code of one instance is exchanged at the other', async t => {
  const { status, body } = await ask(other, 'token', await authorize(await signedIn()))
  t.equal(status, 200)
  t.equal(await userinfo(one, body.access_token), 200)
})

t.test('a code that is exchanged at both at once: one succeeds', async t => {
  const form = await authorize(await signedIn())
  const answers = await Promise.all([one, other, one, other].map(provider => ask(provider, 'token', form)))
  const [won, ...more] = answers.filter(({ status }) => status === 200)
  t.strictSame(more, [])
  for (const { status, body } of answers) {
    if (body !== won?.body) t.match({ status, body }, { status: 400, body: { error: 'invalid_grant' } })
  }
  t.ok(won)
})

t.test('a proof (DPoP) that was used at one instance is refused at the other', async t => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const dpop = await new SignJWT({ jti: 'only-once', htm: 'POST', htu: `${one.issuer}/oidc/token` })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: await exportJWK(publicKey) })
    .setIssuedAt()
    .sign(privateKey)
  const exchange = async (provider: Provider) =>
    ask(provider, 'token', await authorize(await signedIn()), { dpop })
  t.match(await exchange(one), { status: 200, body: { token_type: 'DPoP' } })
  t.match(await exchange(other), { status: 400, body: { error: 'invalid_grant', error_description: /Replay|grant/ } })
})

t.test('refreshes at both at once get the same token, and no one is signed out', async t => {
  const { body } = await ask(one, 'token', await authorize(await signedIn()))
  let token = body.refresh_token
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all([one, other, one, other].map(provider => refresh(provider, token)))
    t.strictSame(answers.map(({ status }) => status), [200, 200, 200, 200])
    t.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
    for (const { body } of answers) t.equal(await userinfo(other, body.access_token), 200)
    token = answers[0]?.body.refresh_token
  }
})

t.test('what ended at one instance is refused at the other at once', async t => {
  const browser = await signedIn()
  const { body: online } = await ask(other, 'token', await authorize(browser))
  const { body: offline } = await ask(other, 'token', await authorize(browser, 'openid offline_access'))
  for (const { access_token: token } of [online, offline]) t.equal(await userinfo(other, token), 200)

  async function isRefused (tokens: Record<string, unknown>, what: string) {
    for (const kind of ['access_token', 'refresh_token']) {
      const { body } = await ask(other, 'introspect', { token: String(tokens[kind]) })
      t.strictSame(body, { active: false }, `${what}, ${kind}`)
    }
    t.equal(await userinfo(other, tokens.access_token), 401, what)
    t.match(await refresh(other, tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } }, what)
  }
  t.equal((await browser.post('/logout')).statusCode, 204)
  await isRefused(online, 'after a sign-out')
  t.equal(await userinfo(other, offline.access_token), 200, 'offline access goes on')
  await owner.query('UPDATE users SET disabled_at = now() WHERE id = $1', [
    (await owner.query('SELECT user_id FROM refresh_tokens WHERE application_id IS NOT NULL')).rows[0].user_id,
  ])
  await isRefused(offline, 'after the account was disabled')
})
