import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, createDatabase } from '../../support/build.ts'

/** Instead of 10 minutes. Within this time the keys are not fetched again, not even for an unknown one. */
const CACHE = { cooldownDuration: 1_000, cacheMaxAge: 1_000 }
const ROTATIONS = 3
/** From the publication of a key until it signs, instead of an hour. The other service fetches the keys in it. */
const AHEAD = 4_000
const USERS = 8
/** Between two sign-ins of a user: some hundred tokens around each rotation, without filling a processor. */
const PAUSE = 300

/** A service that knows nothing but the address of the public keys. */
async function startPeer (t: Test, keysUrl: URL) {
  const keys = createRemoteJWKSet(keysUrl, CACHE)
  const peer = createServer(async ({ headers }, response) => {
    const [, token = ''] = headers.authorization?.split(' ') ?? []
    const status = await jwtVerify(token, keys, { audience: 'orders', typ: 'at+jwt' }).then(() => 200, () => 401)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(peer, 'listening')
  t.teardown(() => peer.close().closeAllConnections())
  return `http://127.0.0.1:${(peer.address() as AddressInfo).port}/`
}

t.test('another service verifies every token while the keys rotate under load', async t => {
  const { owner, settings } = await createDatabase(t)
  const instances = await Promise.all([1, 2].map(async () => {
    const { app } = await build(t, { settings: { ...NO_LIMITS, TOKEN_AUDIENCES: 'orders', ...settings } })
    return { app, address: await app.listen({ port: 0, host: '127.0.0.1' }) }
  }))
  const peer = await startPeer(t, new URL('/.well-known/jwks.json', instances[0]?.address))
  const seen = new Set<string>()
  const refused: number[] = []
  let accepted = 0

  async function use (token: string) {
    seen.add(decodeProtectedHeader(token).kid as string)
    const { status } = await fetch(peer, { headers: { authorization: `Bearer ${token}` } })
    if (status === 200) accepted++
    else refused.push(status)
  }

  /** Signs in again and again, at both instances in turn, and uses older tokens too. */
  async function live () {
    const { username } = await createUser(owner)
    let oldest: string | undefined
    for (let turn = 0; seen.size <= ROTATIONS; turn++) {
      const browser = createBrowser(instances[turn % 2]!.app)
      const signedIn = await browser.signIn(username)
      const answer = await browser.post('/api/auth/token', { audience: 'orders' })
      // On a busy machine, a login or a signature may take too long.
      if (signedIn.statusCode === 503 || answer.statusCode === 503) continue
      const { token } = answer.json()
      oldest ??= token
      await Promise.all([use(token), use(oldest as string)])
      await sleep(PAUSE)
    }
  }

  /** Makes the keys older, and the instances look at them. */
  async function pass (time: string) {
    await owner.query('UPDATE signing_keys SET signs_at = signs_at - $1::interval', [time])
    for (const { app } of instances) await app.signingKeys.update()
  }

  async function rotate () {
    while (seen.size <= ROTATIONS) {
      await sleep(AHEAD)
      await pass('30 days')
      await sleep(AHEAD)
      await pass('1 hour')
    }
  }
  await Promise.all([rotate(), ...Array.from({ length: USERS }, live)])
  t.comment(`${accepted} accepted, ${seen.size} keys`)
  t.strictSame(refused, [])
  t.ok(accepted > 100)
})
