import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, createDatabase } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'
import { repeatRefused } from '../../support/repeat-refused.ts'

/** Instead of 10 minutes. Within this time the keys are not fetched again, not even for an unknown one. */
const CACHE = { cooldownDuration: 1_000, cacheMaxAge: 1_000 }
const ROTATIONS = 3
/** That each key has signed when the next one is published. */
const TOKENS = 100
const USERS = 8
/** Between two sign-ins of a user, so that they do not fill a processor. */
const PAUSE = 100

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
  return {
    url: `http://127.0.0.1:${(peer.address() as AddressInfo).port}/`,
    /** Whether it has fetched this key. */
    knows: (kid: string) => keys.jwks()?.keys.some(key => key.kid === kid) === true,
  }
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
    const { status } = await fetch(peer.url, { headers: { authorization: `Bearer ${token}` } })
    if (status === 200) accepted++
    else refused.push(status)
  }

  /** Signs in again and again, at both instances in turn, and uses older tokens too. */
  async function live () {
    const { username } = await createUser(owner)
    let oldest: string | undefined
    for (let turn = 0; seen.size <= ROTATIONS; turn++) {
      const browser = createBrowser(instances[turn % 2]!.app)
      await browser.signIn(username)
      const { token } = (await repeatRefused(() => browser.post('/api/auth/token', { audience: 'orders' }))).json()
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

  /** Until the current key has signed enough tokens. The users stop with the first token of the last key. */
  async function useKey () {
    const before = accepted
    await eventually(() => accepted, now => now - before >= TOKENS || seen.size > ROTATIONS)
  }

  /** The hour between the publication of a key and its first signature: the other service fetches the keys in it. */
  async function fetchKeys () {
    const { rows } = await owner.query<{ kid: string }>('SELECT kid FROM signing_keys')
    await eventually(() => rows.every(({ kid }) => peer.knows(kid)), Boolean)
  }

  async function rotate () {
    for (let rotation = 0; rotation < ROTATIONS; rotation++) {
      await useKey()
      await pass('30 days')
      await fetchKeys()
      await pass('1 hour')
    }
  }
  await Promise.all([rotate(), ...Array.from({ length: USERS }, live)])
  t.comment(`${accepted} accepted, ${seen.size} keys`)
  t.strictSame(refused, [])
  t.ok(accepted > 100)
})
