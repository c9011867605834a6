import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import t from 'tap'
import { createBrowser, createUser, NO_LIMITS, type Browser } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { createDevice, PROOF } from '../support/devices/software-key.ts'
import { beginSignIn, follow, startProvider } from '../support/openid/provider.ts'

const OFFER = 'secure-session-registration'

/** A browser whose session is bound to its device. */
async function bind (browser: Browser, username: string) {
  const device = await createDevice()
  const { headers } = await browser.signIn(username)
  await device.register(browser, headers[OFFER])
  return device
}

t.test('thieves at a service with bound sessions', async t => {
  const settings = { ...NO_LIMITS, PUBLIC_URL: 'https://auth.example.com', DEVICE_BOUND_SESSIONS: 'on' }
  const { app, log, owner } = await build(t, { settings })

  async function bound () {
    const user = await createUser(owner)
    const browser = createBrowser(app)
    return { user, browser, device: await bind(browser, user.username) }
  }

  const alarms = async (userId: string) => (await owner.query(
    "SELECT FROM auth_events WHERE what = 'session_theft_suspected' AND user_id = $1", [userId])).rowCount

  function copyOf (browser: Browser, names: string[]) {
    const copy = createBrowser(app)
    for (const name of names) copy.cookies.set(name, browser.cookies.get(name) ?? '')
    return copy
  }

  await t.test('a challenge that is no text (403), and nothing in the log', async t => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const jwk = await exportJWK(publicKey)
    for (const jti of [1, {}, [], true, null]) {
      const token = await new SignJWT({ jti } as never)
        .setProtectedHeader({ alg: 'ES256', typ: 'dbsc+jwt', jwk }).sign(privateKey)
      for (const url of ['/api/auth/device', PROOF]) {
        const headers = { 'secure-session-response': token }
        t.equal((await app.inject({ method: 'POST', url, headers })).statusCode, 403, `${url} ${JSON.stringify(jti)}`)
      }
    }
    t.strictSame(log.errors, [])
  })

  await t.test('a copied proof, used after two rotations: refused, and the owner stays in', async t => {
    const { browser, device } = await bound()
    await device.prove(browser)
    const thief = copyOf(browser, ['refresh_token', 'device_proof'])
    t.equal((await browser.refresh()).statusCode, 200)
    await device.prove(browser)
    t.equal((await browser.refresh()).statusCode, 200)
    t.equal((await thief.refresh()).statusCode, 401)
    await device.prove(browser)
    t.equal((await browser.refresh()).statusCode, 200)
  })

  await t.test('a copy of a refresh with its proof, sent later: nothing, and the owner stays in', async t => {
    const { browser, device, user } = await bound()
    await device.prove(browser)
    const thief = copyOf(browser, ['refresh_token', 'device_proof'])
    const owners = copyOf(browser, ['refresh_token', 'device_proof', 'device_key'])
    t.equal((await browser.refresh()).statusCode, 200)
    await owner.query(
      "UPDATE refresh_tokens SET rotated_at = rotated_at - interval '31 seconds' WHERE user_id = $1", [user.id])
    const { statusCode, headers } = await thief.refresh()
    t.equal(statusCode, 503)
    t.notMatch(String(headers['set-cookie']), /_token=/)
    t.notOk(thief.cookies.has('device_proof'))
    t.equal((await thief.refresh()).statusCode, 401, 'without a key')
    t.equal(await alarms(user.id), 1)

    t.equal((await owners.refresh()).statusCode, 503, 'as after a lost response')
    await device.prove(owners)
    t.equal((await owners.refresh()).statusCode, 200)
    t.equal(await alarms(user.id), 1)
  })

  await t.test('a copy of the refresh that followed a lost response, sent later: nothing', async t => {
    const { browser, device, user } = await bound()
    const later = () => owner.query(
      "UPDATE refresh_tokens SET rotated_at = rotated_at - interval '31 seconds' WHERE user_id = $1", [user.id])
    await device.prove(browser)
    const owners = copyOf(browser, ['refresh_token', 'device_proof', 'device_key'])
    const first = copyOf(browser, ['refresh_token', 'device_proof'])
    t.equal((await browser.refresh()).statusCode, 200, 'its response is lost')
    await later()
    await device.prove(owners)
    const second = copyOf(owners, ['refresh_token', 'device_proof'])
    t.equal((await owners.refresh()).statusCode, 200)
    for (const thief of [second, first]) {
      const { statusCode, headers } = await thief.refresh()
      t.equal(statusCode, 503)
      t.notMatch(String(headers['set-cookie']), /_token=/)
    }
    await device.prove(owners)
    t.equal((await owners.refresh()).statusCode, 200)
  })

  await t.test('a thief is first to use a copied proof: no second refresh, and the owner stays in', async t => {
    const { browser, device, user } = await bound()
    await device.prove(browser)
    const thief = copyOf(browser, ['refresh_token', 'device_proof'])
    t.equal((await thief.refresh()).statusCode, 200, 'like the owner in every byte')
    t.equal((await thief.refresh()).statusCode, 401)
    t.equal((await browser.refresh()).statusCode, 200)
    await device.prove(browser)
    t.equal((await browser.refresh()).statusCode, 200)
    t.equal(await alarms(user.id), 1)
  })

  await t.test('a thief who refreshes without end: 20 events an hour', async t => {
    const { browser, user } = await bound()
    const thief = copyOf(browser, ['refresh_token'])
    for (let count = 0; count < 25; count++) t.equal((await thief.refresh()).statusCode, 401)
    t.equal(await alarms(user.id), 20)
  })
})

t.test('a copied access token of a bound session gets no access that outlives the session', async t => {
  const provider = await startProvider(t, { ...NO_LIMITS, DEVICE_BOUND_SESSIONS: 'on' })
  const application = await provider.addApplication()
  const user = await createUser(provider.owner)
  const browser = provider.browse()
  await bind(browser, user.username)
  await provider.owner.query("UPDATE refresh_tokens SET auth_time = now() - interval '1 hour'")
  const thief = createBrowser(provider.app)
  thief.cookies.set('access_token', browser.cookies.get('access_token') ?? '')
  const { path } = await beginSignIn(application, { scope: 'openid offline_access', prompt: 'consent' })
  const { answer, location } = await follow(thief, path)
  t.equal(location, undefined, 'no code')
  t.match(answer.body, 'Confirm it is you')

  const plain = await beginSignIn(application)
  t.match((await follow(thief, plain.path)).location?.searchParams.get('code'), /./, 'this ends with the session')
})
