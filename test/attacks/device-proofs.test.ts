// Browsers forget the key of a device after any answer other than 200, 403 with a challenge, and 503. So this is all
// that the route answers, whatever is sent.
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { createBrowser, createUser } from '../support/browser.ts'
import { build } from '../support/build.ts'
import { challengeOf, createDevice, PROOF } from '../support/devices/software-key.ts'

const OFFER = 'secure-session-registration'
const CHALLENGE = 'secure-session-challenge'
const on = { PUBLIC_URL: 'https://auth.example.com', DEVICE_BOUND_SESSIONS: 'on' }

const { app, log, owner } = await build(t, { settings: on })
const user = await createUser(owner)
const browser = createBrowser(app)
const device = await createDevice()
const { [OFFER]: offer } = (await browser.signIn(user.username)).headers
await device.register(browser, offer)

const NO_ALGORITHM = Buffer.from('{"alg":"none","typ":"dbsc+jwt"}').toString('base64url')

type Answer = { statusCode: number, headers: Record<string, unknown> }

function isChallenged (t: Test, { statusCode, headers }: Answer, what: string) {
  t.equal(statusCode, 403, what)
  t.match(headers[CHALLENGE], /^"[\w.~+/-]+"(;id="[\w.~+/-]+")?$/, what)
}

const send = (options: InjectOptions = {}) => app.inject({
  method: 'POST', url: PROOF, cookies: Object.fromEntries(browser.cookies), ...options,
})

t.test('POST /api/auth/device/proof: a wrong signature is challenged (403)', async t => {
  const present = challengeOf((await device.challenge(browser)).headers[CHALLENGE])
  const other = await createDevice()
  const tokens = {
    'a foreign key': await other.sign(present),
    'a foreign key that is sent along': await other.sign(present, { withKey: other.jwk }),
    'another type of token': await device.sign(present, { typ: 'jwt' }),
    'a symmetric algorithm': await device.sign(present, { alg: 'HS256', key: new Uint8Array(32) }),
    'no algorithm': (await device.sign(present)).replace(/^[^.]+/, NO_ALGORITHM),
    'no challenge': await device.sign(''),
    'another challenge': await device.sign('garbage'),
    'the offer of a sign-in': await device.sign(challengeOf(offer)),
    'no token': 'garbage',
    nothing: '',
  }
  for (const [what, token] of Object.entries(tokens)) isChallenged(t, await device.respond(browser, token), what)

  const replayed = await device.sign(present)
  t.equal((await device.respond(browser, replayed)).statusCode, 200)
  t.equal((await device.respond(browser, replayed)).statusCode, 200, 'again, as after a lost response')
  t.equal((await browser.refresh()).statusCode, 200)
  isChallenged(t, await device.respond(browser, replayed), 'the signature of another generation')
})

t.test('POST /api/auth/device/proof: a forged identifier is challenged (403)', async t => {
  const { jwk } = await createDevice()
  const forged = Buffer.from(JSON.stringify({ sid: '0', jwk })).toString('base64url')
  const changed = device.identifier.replace(/^.../, 'AAA')
  const stranger = createBrowser(app)
  for (const identifier of [forged, `${forged}.~device_session.AAAA`, changed, 'x', '', '"', '{}', 'a'.repeat(5_000)]) {
    isChallenged(t, await device.challenge(stranger, identifier), identifier)
    isChallenged(t, await device.challenge(browser, identifier), identifier)
  }
})

t.test('/api/auth/device/proof: only 200, 403 with a challenge, or 503', async t => {
  const session = { 'sec-secure-session-id': device.identifier }
  const json = { 'content-type': 'application/json' }
  const cases: Record<string, InjectOptions> = {
    'no header': {},
    'a body that is too large': { headers: session, payload: Buffer.alloc(100_000) },
    'a large JSON body': { headers: { ...session, ...json }, payload: `"${'x'.repeat(50_000)}"` },
    'an empty JSON body': { headers: { ...session, ...json } },
    'a broken JSON body': { headers: { ...session, ...json }, payload: '{' },
    'an unknown type': { headers: { ...session, 'content-type': 'image/png' }, payload: 'x' },
    'a broken type': { headers: { ...session, 'content-type': ';;;' }, payload: 'x' },
    'another site': { headers: { ...session, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } },
    'a navigation': { headers: { ...session, 'sec-fetch-mode': 'navigate', accept: 'text/html' } },
    'an unacceptable type': { headers: { ...session, accept: 'image/png' } },
    'broken cookies': { cookies: { refresh_token: 'x', device_key: '%', device_proof: '%%%' }, headers: session },
    'a query': { url: `${PROOF}?${'x'.repeat(1_000)}`, headers: session },
  }
  for (const [what, options] of Object.entries(cases)) isChallenged(t, await send(options), what)
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const) {
    isChallenged(t, await send({ method, headers: session }), method)
  }
})

t.test('POST /api/auth/device/proof: a flood gets no 429, and another body no 413', async t => {
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const post = (body: string) => new Promise<Answer>((resolve, reject) => {
    const headers = { cookie, 'sec-secure-session-id': device.identifier, 'transfer-encoding': 'chunked' }
    request({ port, path: PROOF, method: 'POST', headers }, answer => {
      answer.resume().on('end', () => resolve({ statusCode: answer.statusCode ?? 0, headers: answer.headers }))
    }).on('error', reject).end(body)
  })
  for (let turn = 0; turn < 10; turn++) {
    for (const answer of await Promise.all(Array.from({ length: 50 }, () => post('x')))) {
      if (answer.statusCode !== 403 || !answer.headers[CHALLENGE]) t.fail(`${answer.statusCode}`)
    }
  }
  isChallenged(t, await post('x'.repeat(64_000)), 'a large body in chunks')
  t.strictSame(log.errors, [])
})

t.test('POST /api/auth/device/proof: without PostgreSQL and Redis', async t => {
  const { app: alone } = await build(t, {
    withoutJobs: true,
    settings: { ...on, DATABASE_URL: 'postgres://gatehouse@127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' },
  })
  const elsewhere = createBrowser(alone)
  for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
  t.equal((await device.prove(elsewhere)).statusCode, 200)
  t.equal((await elsewhere.refresh()).statusCode, 503)
  t.ok(elsewhere.cookies.has('device_proof'), 'the proof stays for the next try')
})
