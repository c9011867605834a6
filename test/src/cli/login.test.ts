import { randomUUID } from 'node:crypto'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { COMMAND_LINE } from '../../../src/openid/command-line.ts'
import { createBrowser, createUser, NO_LIMITS, PASSWORD, type Browser } from '../../support/browser.ts'
import { runWith } from '../../support/cli/in-process.ts'
import { makeFolder } from '../../support/folder.ts'
import { allowDevice } from '../../support/openid/devices.ts'
import { buildOperator } from '../../support/operator.ts'
import { gatehouse } from '../../support/process.ts'
import { addTotp } from '../../support/second-factor.ts'

// A service whose operators can sign in from the command line.
const port = await freePort()
const issuer = `http://127.0.0.1:${port}`
const { app, operator, owner } = await buildOperator(t, {
  settings: { ...NO_LIMITS, OPENID: 'on', PUBLIC_URL: issuer, PORT: String(port), OPERATOR_PORT: '4100' },
})
await app.listen({ host: '127.0.0.1', port })
await operator.listen({ host: '127.0.0.1', port: 0 })
const api = `http://127.0.0.1:${(operator.server.address() as AddressInfo).port}`

/** A person at a computer, where the command line keeps the sign-in in a folder. */
function createHome (t: Test) {
  const home = makeFolder(t, 'home')
  const file = join(home, '.config/gatehouse/login.json')
  const cli = (...args: string[]) => runWith({ XDG_CONFIG_HOME: join(home, '.config') }, args)
  return { home, file, cli }
}

/** An account in a browser, signed in with its second factor. */
async function signIn ({ isOperator = true, hasFactor = true } = {}) {
  const user = await createUser(owner)
  if (isOperator) await app.operators.add(user.id)
  const totp = hasFactor ? await addTotp(owner, user.id) : undefined
  const browser = createBrowser(app)
  await browser.signIn(user.username, PASSWORD)
  if (totp) await browser.post('/login/second-factor', { code: await totp.freshCode() })
  return { user, browser }
}

/** The token of an application on a device, with the code entered in this browser. */
async function allowedToken (browser: Browser, id: string, scope: string): Promise<string> {
  const post = (path: string, fields: Record<string, string>) => app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ client_id: id, ...fields }).toString(),
  })
  const started = (await post('/oidc/device/auth', { scope })).json()
  await allowDevice(browser, started.user_code)
  const { access_token: token } = (await post('/oidc/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: started.device_code,
  })).json()
  return token
}

t.test('an operator signs in on the command line, and acts under their own name', async t => {
  const { cli, file, home } = createHome(t)
  t.match(await cli('api', 'GET', '/users'), { code: 1, stderr: /No operator is signed in/ })
  const { user, browser } = await signIn()
  const command = gatehouse(['login', issuer, '--api', api], { HOME: home })
  const [, entered = ''] = await command.until(/enter the code (\S+)\./)
  const allowed = await allowDevice(browser, entered)
  const { code, stdout } = await command.ended
  t.match(allowed.body, 'Gatehouse command line continues there.')
  t.equal(code, 0)
  t.match(stdout, `Signed in as ${user.username} until `)
  const { rows: [{ hours }] } = await owner.query(`
    SELECT extract(epoch FROM expires_at - now()) / 3600 AS hours FROM openid_artifacts WHERE kind = 'AccessToken'`)
  t.ok(Number(hours) > 7.5 && Number(hours) <= 8, `${hours} hours`)
  t.equal(statSync(file).mode & 0o777, 0o600, 'only for its owner')

  const other = await createUser(owner)
  t.match(JSON.parse((await cli('api', 'GET', `/users?q=${other.username}`)).stdout), {
    users: [{ username: other.username }],
  })
  t.match(await cli('api', 'post', `/users/${other.id}/disable`), { code: 0 })
  const { rows } = await owner.query("SELECT actor FROM auth_events WHERE what = 'account_disabled'")
  t.strictSame(rows, [{ actor: `operator ${user.username}` }])

  t.match(await cli('logout'), { code: 0, stdout: `${user.username} is signed out here.\n` })
  t.match(await cli('api', 'GET', '/users'), { code: 1, stderr: /No operator is signed in/ })
})

t.test('the right of an operator, the second factor and the session are asked for each time', async t => {
  const { cli, file } = createHome(t)
  const refused = { code: 1, stdout: /"error": "Unauthorized"/ }
  const ask = () => cli('api', 'GET', '/users')
  mkdirSync(dirname(file), { recursive: true })
  /** As `gatehouse login` does, which waits for five seconds before it asks whether the code was entered. */
  async function login (browser: Browser) {
    const token = await allowedToken(browser, COMMAND_LINE.id, 'openid profile')
    const expiresAt = new Date(Date.now() + COMMAND_LINE.lifetime * 1_000)
    writeFileSync(file, JSON.stringify({ issuer, api, username: 'ada', token, expiresAt }))
  }

  await login((await signIn({ isOperator: false })).browser)
  t.match(await ask(), refused, 'no operator')
  await login((await signIn({ hasFactor: false })).browser)
  t.match(await ask(), refused, 'without a second factor')

  const { user, browser } = await signIn()
  await login(browser)
  t.match(await ask(), { code: 0 })
  const { id } = await createUser(owner)
  t.match(await cli('api', 'POST', `/users/${id}/export`), { stdout: /"Session of an operator required"/ })
  await app.operators.changeRole(user.id, 'viewer')
  t.match(await ask(), { code: 0 })
  t.match(await cli('api', 'POST', `/users/${id}/disable`), { code: 1, stdout: /"Not allowed for this role"/ })
  await app.operators.remove(user.id)
  t.match(await ask(), refused, 'no longer an operator')
  await app.operators.add(user.id)
  t.match(await ask(), refused, 'the right was given after the sign-in')
  await login(browser)
  t.match(await ask(), { code: 0 })
  await owner.query("UPDATE openid_artifacts SET expires_at = now() WHERE kind = 'AccessToken'")
  t.match(await ask(), refused, 'after eight hours')
  await login(browser)
  await browser.post('/logout')
  t.match(await ask(), refused, 'signed out in the browser')
})

t.test('tokens that are none of the command line: of another application, and invented ones (401)', async t => {
  const id = randomUUID()
  await owner.query(`INSERT INTO applications (id, name, kind, trusted, device)
    VALUES ($1, 'Television', 'public', true, true)`, [id])
  const token = await allowedToken((await signIn()).browser, id, 'openid')
  t.equal((await fetch(`${issuer}/oidc/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status, 200)
  for (const value of [token, 'x'.repeat(43), `gh_${'x'.repeat(43)}`]) {
    const headers = { authorization: `Bearer ${value}` }
    t.equal((await operator.inject({ url: '/operator/api/v1/users', headers })).statusCode, 401)
  }
})

t.test('wrong command lines (2), a service that is not there (3), a refused sign-in (1)', async t => {
  const { cli } = createHome(t)
  t.match(await cli('login'), { code: 2 })
  t.match(await cli('login', 'http://auth.example.com'), { code: 2, stderr: /must begin with https:/ })
  t.match(await cli('login', 'http://127.0.0.1:1'), { code: 3, stderr: /No OpenID provider at/ })
  t.match(await cli('api', 'LOOK', '/users'), { code: 2, stderr: /METHOD is one of/ })
  t.match(await cli('api', 'GET', 'users'), { code: 2, stderr: /begins with a slash/ })
})
