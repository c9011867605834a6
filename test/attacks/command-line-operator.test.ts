import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import t from 'tap'
import { artifactId } from '../../plugins/records/openid/openid-artifacts.ts'
import { COMMAND_LINE } from '../../src/openid/command-line.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD } from '../support/browser.ts'
import { allowDevice, enterCode } from '../support/openid/devices.ts'
import { buildOperator } from '../support/operator.ts'
import { eventually } from '../support/patience.ts'
import { addTotp, codeOf } from '../support/second-factor.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

const { app, operator, owner, addKey } = await buildOperator(t, {
  settings: { ...NO_LIMITS, OPENID: 'on', PUBLIC_URL: 'http://127.0.0.1:4555', OPERATOR_PORT: '4100' },
})

const send = (url: string, fields: Record<string, string>, headers = {}) => app.inject({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  payload: new URLSearchParams({ client_id: COMMAND_LINE.id, ...fields }).toString(),
})

const begin = async () => (await send('/oidc/device/auth', { scope: 'openid' })).json()

/** An operator in a browser, with what `gatehouse login` does there. */
async function signIn ({ hasFactor = true } = {}) {
  const user = await createUser(owner)
  await app.operators.add(user.id)
  const totp = hasFactor ? await addTotp(owner, user.id) : undefined
  const browser = createBrowser(app)
  await browser.signIn(user.username, PASSWORD)
  if (totp) await browser.post('/login/second-factor', { code: await totp.freshCode() })

  async function login (headers = {}): Promise<string> {
    const { user_code: code, device_code: deviceCode } = await begin()
    await allowDevice(browser, code)
    return (await send('/oidc/token', { grant_type: GRANT, device_code: deviceCode }, headers)).json().access_token
  }
  return { browser, login }
}

const ask = async (token: string) =>
  (await operator.inject({ url: '/operator/api/v1/users', headers: { authorization: `Bearer ${token}` } })).statusCode

t.test('a key that may change applications cannot change that of the command line (400)', async t => {
  await begin()
  const key = await addKey('applications', ['apps:write'])
  for (const payload of [{ redirectUris: ['https://evil.example/callback'] }, { name: 'Calendar' }]) {
    const { statusCode } = await operator.inject({
      method: 'PATCH',
      url: `/operator/api/v1/apps/${COMMAND_LINE.id}`,
      headers: { authorization: `Bearer ${key}` },
      payload,
    })
    t.equal(statusCode, 400)
  }
})

t.test('a redirect to the application of the command line gets no code, whatever its record says', async t => {
  await begin()
  await owner.query("UPDATE applications SET redirect_uris = '{https://evil.example/callback}' WHERE id = $1",
    [COMMAND_LINE.id])
  const { browser } = await signIn()
  const address = `/oidc/auth?${new URLSearchParams({
    client_id: COMMAND_LINE.id,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: 'https://evil.example/callback',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })}`
  // The service keeps what it knows of an application for a second.
  const answer = await eventually(() => browser.get(address), ({ statusCode }) => statusCode !== 400)
  t.match(answer.headers.location, 'https://evil.example/callback?error=invalid_request')
  t.notMatch(answer.headers.location, 'code=')
})

t.test('the page says that the command line gets the rights of an operator', async t => {
  const { browser } = await signIn()
  t.match((await enterCode(browser, (await begin()).user_code)).body, 'Everything that you may do as an operator')
})

t.test('what ends the session of an operator ends the command line, too', async t => {
  const { browser, login } = await signIn()
  const first = await login()
  t.equal(await ask(first), 200)
  const passwords = { current: PASSWORD, password: 'an0ther-Harbour-lamp!' }
  t.equal((await browser.guarded('POST', '/api/auth/password', passwords)).statusCode, 204)
  t.equal(await ask(first), 401, 'a change of the password')

  const second = await login()
  t.equal(await ask(second), 200)
  t.equal((await browser.guarded('DELETE', '/api/auth/sessions')).statusCode, 204)
  t.equal(await ask(second), 401, 'the end of the other sessions')

  const third = await login()
  t.equal(await ask(third), 200)
  t.equal((await browser.guarded('DELETE', '/api/auth/factors/totp')).statusCode, 204)
  t.equal(await ask(third), 401, 'an account without a second factor')
})

t.test('eight hours are eight hours: what is removed after an hour leaves the sign-in', async t => {
  const { login } = await signIn()
  const token = await login()
  await owner.query("UPDATE application_grants SET created_at = created_at - interval '2 hours'")
  await owner.query("UPDATE operators SET added_at = added_at - interval '1 day'")
  await app.purge.run()
  t.equal(await ask(token), 200)
  await owner.query("UPDATE openid_artifacts SET expires_at = now() - interval '1 second'")
  await app.purge.run()
  t.equal((await owner.query('SELECT FROM application_grants')).rowCount, 0, 'afterwards nothing is left')
})

t.test('a change of the factors ends the command line, as it ends the page of operators', async t => {
  const { browser, login } = await signIn()
  const token = await login()
  t.equal(await ask(token), 200)
  t.equal((await browser.guarded('POST', '/api/auth/factors/recovery-codes')).statusCode, 200)
  t.equal(await ask(token), 401)
})

t.test('a code that was allowed without a second factor is worth no more when the operator adds one', async t => {
  const { browser, login } = await signIn({ hasFactor: false })
  const token = await login()
  t.equal(await ask(token), 401)
  const { secret } = (await browser.guarded('POST', '/api/auth/factors/totp')).json()
  const code = codeOf(secret)
  t.match(await browser.guarded('POST', '/api/auth/factors/totp/confirm', { code }), { statusCode: 200 })
  t.equal(await ask(token), 401)
  t.equal(await ask(await login()), 200, 'the session has a second factor now')
})

t.test('a token that is bound to a key is not accepted without it', async t => {
  const { login } = await signIn()
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const DPoP = await new SignJWT({ htm: 'POST', htu: 'http://127.0.0.1:4555/oidc/token', jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
    .setIssuedAt()
    .sign(privateKey)
  t.equal(await ask(await login({ DPoP })), 401)
})

t.test('a token that begins like a key is none', async t => {
  const token = await (await signIn()).login()
  const alike = `gh_${'x'.repeat(40)}`
  await owner.query('UPDATE openid_artifacts SET id = $2 WHERE id = $1',
    [token, alike].map(value => artifactId('AccessToken', value)))
  t.equal(await ask(alike), 200)
})
