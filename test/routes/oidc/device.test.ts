import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import t from 'tap'
import { createUser } from '../../support/browser.ts'
import { allowDevice, enterCode, fieldsOf, submitCode } from '../../support/openid/devices.ts'
import { ORDERS, RESOURCES } from '../../support/openid/resources.ts'
import { eventually } from '../../support/patience.ts'
import { follow, startProvider, type Provider, type RelyingParty } from '../../support/openid/provider.ts'

const addTelevision = (provider: Provider, given = {}) => provider.addApplication({
  name: 'Television', kind: 'public', redirectUris: [], device: true, ...given,
})

const begin = ({ relyingParty }: RelyingParty, scope = 'openid profile') =>
  client.initiateDeviceAuthorization(relyingParty, { scope })

const ask = ({ relyingParty }: RelyingParty, deviceCode: string) =>
  client.genericGrantRequest(relyingParty, 'urn:ietf:params:oauth:grant-type:device_code', { device_code: deviceCode })

/** The error of OAuth with which the device is refused. */
async function refusal (asked: Promise<unknown>): Promise<string | undefined> {
  return asked.then(() => undefined, (error: { error?: string }) => error.error)
}

/** As if five seconds had passed. */
const wait = ({ owner }: Provider) =>
  owner.query("UPDATE device_codes SET polled_at = polled_at - interval '5 seconds'")

async function signedIn (provider: Provider, given = {}) {
  const user = await createUser(provider.owner, given)
  const browser = provider.browse()
  await browser.signIn(user.username)
  return { user, browser }
}

t.test('a user enters the code of a device, and allows it to sign in', async t => {
  const provider = await startProvider(t)
  const { user, browser } = await signedIn(provider, { name: 'Ada Lovelace' })
  const television = await addTelevision(provider)
  const started = await begin(television)
  t.match(started.user_code, /^[B-Z]{4}-[B-Z]{4}$/)
  t.equal(started.verification_uri, `${provider.issuer}/oidc/device`)
  t.equal(await refusal(ask(television, started.device_code)), 'authorization_pending')
  t.equal(await refusal(ask(television, started.device_code)), 'slow_down')

  const question = await enterCode(browser, started.user_code.toLowerCase().replace('-', ' '))
  t.match(question.body, /Television[^]*Your name and your username[^]*127\.0\.0\.1/)
  t.match(question.body, started.user_code)
  await wait(provider)
  t.equal(await refusal(ask(television, started.device_code)), 'authorization_pending', 'not before the user confirms')
  const done = await submitCode(browser, { ...fieldsOf(question.body), confirm: 'yes' })
  t.match(done.body, 'Television continues there.')

  const tokens = await ask(television, started.device_code)
  t.match(tokens, { access_token: String, id_token: String, refresh_token: String })
  t.match(tokens.claims(), { sub: user.id, name: 'Ada Lovelace', amr: ['pwd'], sid: String, auth_time: Number })
  const { rows } = await provider.owner.query("SELECT subject FROM auth_events WHERE what = 'device_allowed'")
  t.strictSame(rows, [{ subject: television.id }])

  t.equal(await refusal(ask(television, started.device_code)), 'invalid_grant', 'a code is used once')
  t.equal(await refusal(client.refreshTokenGrant(television.relyingParty, tokens.refresh_token as string)),
    'invalid_grant', 'a code that was stolen ends what was granted')
})

t.test('a device asks for a resource: the page names its scopes, and the token is for it alone', async t => {
  const provider = await startProvider(t, RESOURCES)
  const { browser } = await signedIn(provider)
  const television = await addTelevision(provider, { resources: [`${ORDERS} orders:read`] })
  const asked = { scope: 'openid', resource: ORDERS }
  const started = await client.initiateDeviceAuthorization(television.relyingParty, asked)
  const question = await enterCode(browser, started.user_code)
  t.match(question.body, /Your orders at Example<[^]+<li>See your orders</)
  await submitCode(browser, { ...fieldsOf(question.body), confirm: 'yes' })
  const { access_token: token } = await ask(television, started.device_code)
  t.match(decodeJwt(token), { aud: ORDERS, scope: 'orders:read', acr: 'aal1' })
})

t.test('the tokens of a device end with the session that allowed it', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const television = await addTelevision(provider)
  const started = await begin(television)
  await allowDevice(browser, started.user_code)
  const { refresh_token: token = '' } = await ask(television, started.device_code)
  const next = await client.refreshTokenGrant(television.relyingParty, token)
  await browser.post('/logout')
  t.equal(await refusal(client.refreshTokenGrant(television.relyingParty, next.refresh_token as string)),
    'invalid_grant')
})

t.test('the session ends before the device asks: it gets nothing', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const television = await addTelevision(provider)
  const started = await begin(television)
  await allowDevice(browser, started.user_code)
  await browser.post('/logout')
  t.equal(await refusal(ask(television, started.device_code)), 'invalid_grant')
})

t.test('the user refuses: the device is told', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const television = await addTelevision(provider)
  const started = await begin(television)
  const { body } = await enterCode(browser, started.user_code)
  const answer = await submitCode(browser, { ...fieldsOf(body), abort: 'yes' })
  t.match(answer.body, 'The device was not signed in.')
  t.equal(await refusal(ask(television, started.device_code)), 'access_denied')
})

t.test('an application that is not trusted: consent, once', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const television = await addTelevision(provider, { trusted: false })
  const started = await begin(television)
  const { headers } = await allowDevice(browser, started.user_code)
  t.match(headers.location, '/oidc/interaction/')
  await follow(browser, String(headers.location))
  t.equal(await refusal(ask(television, started.device_code)), 'authorization_pending')
  t.match((await browser.get(`${headers.location}/request`)).json(), { application: { name: 'Television', host: '' } })
  const { next } = (await browser.guarded('POST', String(headers.location), { allow: true })).json()
  t.match((await browser.get(new URL(next).pathname)).body, 'Television continues there.')
  await wait(provider)
  t.match(await ask(television, started.device_code), { access_token: String })

  const second = await begin(television)
  t.match((await allowDevice(browser, second.user_code)).body, 'Television continues there.')
})

t.test('an old proof does not sign a device in', async t => {
  const provider = await startProvider(t)
  const { user, browser } = await signedIn(provider)
  const television = await addTelevision(provider)
  const started = await begin(television)
  await provider.owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
  const { headers } = await allowDevice(browser, started.user_code)
  const interaction = String(headers.location)
  t.match(interaction, '/oidc/interaction/')
  t.match((await browser.get(interaction)).headers.location, `${interaction}/confirm`)
  t.equal(await refusal(ask(television, started.device_code)), 'authorization_pending')
  await browser.guarded('POST', '/api/auth/reauthenticate', { password: user.password })
  const back = (await browser.get(interaction)).headers.location
  t.match((await browser.get(new URL(String(back)).pathname)).body, 'Television continues there.')
})

t.test('nobody else can answer for the user who entered the code', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const { browser: other } = await signedIn(provider)
  const television = await addTelevision(provider, { trusted: false })
  const started = await begin(television)
  const { headers } = await allowDevice(browser, started.user_code)
  t.match((await enterCode(other, started.user_code)).body, 'There is no such code')
  const interaction = String(headers.location)
  t.equal((await other.guarded('POST', interaction, { allow: true })).statusCode, 404)
  const { body } = await enterCode(other, started.user_code)
  const forged = { ...fieldsOf(body), user_code: started.user_code, confirm: 'yes' }
  t.match((await submitCode(other, forged)).body, 'There is no such code')
})

t.test('two sessions allow one code at the same time: one of them, and the other gets nothing', async t => {
  const provider = await startProvider(t)
  const { app, owner } = provider
  const browsers = [(await signedIn(provider)).browser, (await signedIn(provider)).browser]
  const television = await addTelevision(provider)
  const started = await begin(television)
  const questions = [] as Array<Record<string, string>>
  for (const browser of browsers) questions.push(fieldsOf((await enterCode(browser, started.user_code)).body))
  const lock = await owner.connect()
  await lock.query('BEGIN')
  await lock.query('SELECT FROM device_codes FOR UPDATE')
  const answers = browsers.map((browser, index) => submitCode(browser, { ...questions[index], confirm: 'yes' }))
  const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  await eventually(async () => (await owner.query(waiting)).rowCount, count => count === 2)
  await lock.query('COMMIT')
  lock.release()
  const pages = (await Promise.all(answers)).map(({ body }) => body.includes('Television continues there.'))
  t.strictSame(pages.sort(), [false, true])
  t.ok(await ask(television, started.device_code))
  t.equal((await app.database.query('SELECT FROM application_grants')).rowCount, 1)
})

t.test('another account signs in before the code is allowed: the device gets neither', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const other = await createUser(provider.owner)
  const television = await addTelevision(provider)
  const started = await begin(television)
  await provider.owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
  const { headers } = await allowDevice(browser, started.user_code)
  await browser.post('/logout')
  await browser.signIn(other.username)
  const { answer } = await follow(browser, String(headers.location))
  t.match(answer.body, 'The device was not signed in.')
  t.equal(await refusal(ask(television, started.device_code)), 'access_denied')
})

t.test('without a session, with a second factor missing, or a forged form: nothing is allowed', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const television = await addTelevision(provider)
  const { user_code: code, device_code: deviceCode } = await begin(television)
  const stranger = provider.browse()
  const link = `/oidc/device?user_code=${code}`
  t.equal((await stranger.get(link)).headers.location, `/login?${new URLSearchParams({ next: link })}`)
  t.match((await browser.get(link)).body, `value="${code}"`, 'the code of the link is there, and nothing is entered')
  for (const xsrf of ['', 'x', fieldsOf((await (await signedIn(provider)).browser.get('/oidc/device')).body).xsrf]) {
    const answer = await submitCode(browser, { xsrf: xsrf ?? '', user_code: code, confirm: 'yes' })
    t.match(answer.body, 'This did not work.')
  }
  t.equal(await refusal(ask(television, deviceCode)), 'authorization_pending')
})

t.test('wrong codes are counted: ten an hour for an address (429), right ones are not', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const television = await addTelevision(provider)
  for (let count = 0; count < 12; count++) await allowDevice(browser, (await begin(television)).user_code)
  for (let count = 0; count < 10; count++) {
    t.match((await enterCode(browser, 'BCDF-GHJK')).body, 'There is no such code')
  }
  const { user_code: code } = await begin(television)
  t.equal((await enterCode(browser, code)).statusCode, 429, 'also the right one')
})

t.test('a code that has expired, of another application, or not of a device', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const [television, other] = [await addTelevision(provider), await addTelevision(provider)]
  const started = await begin(television)
  t.equal(await refusal(ask(other, started.device_code)), 'invalid_grant')
  await allowDevice(browser, started.user_code)
  const { rows: [{ id }] } = await provider.owner.query("SELECT encode(id, 'hex') AS id FROM device_codes")
  t.equal(await refusal(ask(television, `reference:${id}`)), 'invalid_grant', 'what the database has is no code')
  const web = await provider.addApplication()
  t.equal(await refusal(begin(web)), 'invalid_request')

  const late = await begin(television)
  await provider.owner.query(`UPDATE device_codes SET expires_at = now() - interval '1 second',
    payload = jsonb_set(payload::jsonb, '{exp}', '1')`)
  t.match((await enterCode(browser, late.user_code)).body, 'There is no such code')
  t.equal(await refusal(ask(television, late.device_code)), 'expired_token')
})

t.test('one code at the same time, many times: tokens once', async t => {
  const provider = await startProvider(t)
  const { browser } = await signedIn(provider)
  const television = await addTelevision(provider)
  const started = await begin(television)
  await allowDevice(browser, started.user_code)
  const answers = await Promise.all(Array.from({ length: 5 }, () => refusal(ask(television, started.device_code))))
  t.equal(answers.filter(answer => answer === undefined).length, 1, answers.join())
  t.ok(answers.every(answer => answer === undefined || answer === 'invalid_grant'))
})
