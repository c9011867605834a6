import { randomBytes } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import type pg from 'pg'
import root, { type Test } from 'tap'
import { createEncryption } from '../../../src/secrets/encryption.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, createDatabase, secrets } from '../../support/build.ts'
import { eventually } from '../../support/patience.ts'

const [OLD, NEW, OTHER] = [1, 2, 3].map(() => randomBytes(64).toString('base64url')) as [string, string, string]
for (const secret of [OLD, NEW, OTHER]) secrets.add(secret)

const SETTINGS = { ...NO_LIMITS, TOKEN_AUDIENCES: 'orders', JWT_SECRET: OLD }

/** Instances that listen and follow the keys, on one database. */
async function setUp (t: Test) {
  const { owner, settings } = await createDatabase(t)
  const { username } = await createUser(owner)

  return {
    owner,
    async start (own: Record<string, string> = {}) {
      const { app, log } = await build(t, { settings: { ...SETTINGS, ...settings, ...own } })
      await app.listen({ port: 0, host: '127.0.0.1' })
      const browser = createBrowser(app)
      await browser.signIn(username)
      /** After a look at the keys, which each instance takes every 20 seconds. */
      const keySet = async () => {
        await app.signingKeys.update()
        return (await app.inject('/.well-known/jwks.json')).json() as { keys: Array<{ kid: string }> }
      }
      return {
        app,
        log,
        published: async () => (await keySet()).keys.map(({ kid }) => kid),
        /** The key of the token that this instance issues, after verifying it. A token is kept for a session. */
        async signer ({ sameSession = false } = {}) {
          await app.signingKeys.update()
          if (!sameSession) await browser.signIn(username)
          const { token } = (await browser.post('/api/auth/token', { audience: 'orders' })).json()
          secrets.add(token)
          await jwtVerify(token, createLocalJWKSet(await keySet()), { audience: 'orders' })
          return decodeProtectedHeader(token).kid
        },
      }
    },
  }
}

const startSix = async () => {
  const { owner, start } = await setUp(root)
  return { owner, start, instances: await Promise.all(Array.from({ length: 6 }, () => start())) }
}
let six: ReturnType<typeof startSix> | undefined

/** The instances that most tests share. Each test leaves one key, which they publish. */
async function shared () {
  const { owner, start, instances } = await (six ??= startSix())
  const [one, other] = instances as [Instance, Instance]
  return {
    owner,
    start,
    instances,
    one,
    other,
    /** After a test with keys that these instances do not want, or cannot open. */
    async startOver () {
      await owner.query('DELETE FROM signing_keys')
      for (const { published } of [one, other]) {
        await eventually(
          async () => [await published(), (await stored(owner)).map(({ kid }) => kid)] as const,
          ([kids, all]) => all.length === 1 && kids.length === 1 && kids[0] === all[0]
        )
      }
    },
  }
}

const stored = async (owner: pg.Pool) =>
  (await owner.query<{ kid: string, retired: boolean, private_key: string }>(
    'SELECT kid, retired_at IS NOT NULL AS retired, private_key FROM signing_keys ORDER BY signs_at')).rows

type Instance = Awaited<ReturnType<Awaited<ReturnType<typeof setUp>>['start']>>

const age = (owner: pg.Pool, column: string, by: string) =>
  owner.query(`UPDATE signing_keys SET ${column} = ${column} - interval '${by}'`)

root.test('six instances start at the same moment on an empty database: one key', async t => {
  const { owner, instances } = await shared()
  const signers = await Promise.all(instances.map(({ signer }) => signer()))
  const keys = await stored(owner)
  t.equal(keys.length, 1)
  t.strictSame(new Set(signers), new Set([keys[0]?.kid]))
  // The other tests need two.
  for (const { app } of instances.slice(2)) await app.close()
})

root.test('rotation: next, current, previous, gone, and the other instance follows', async t => {
  const { owner, one, other } = await shared()
  const first = await one.signer()
  t.equal(await other.signer(), first)

  await age(owner, 'signs_at', '30 days')
  const both = await eventually(other.published, kids => kids.length === 2)
  const second = both.find(kid => kid !== first)
  t.equal((await stored(owner)).filter(({ retired }) => retired).length, 0, 'published before it signs')
  t.equal(await one.signer(), first)

  await age(owner, 'signs_at', '1 hour')
  for (const { signer } of [one, other]) t.equal(await signer(), second)
  t.equal((await stored(owner))[0]?.retired, true)
  t.strictSame(await one.published(), [first, second], 'the previous key stays published')
  await age(owner, 'retired_at', '10 minutes')
  for (const { published } of [one, other]) await eventually(published, kids => !kids.includes(first as string))
  t.strictSame((await stored(owner)).map(({ kid }) => kid), [second])
})

root.test('a key that is not published any more still verifies for as long as a session lasts', async t => {
  const { owner, one, startOver } = await shared()
  t.teardown(() => owner.query('DELETE FROM retired_signing_keys'))
  const { signingKeys } = one.app
  const first = await one.signer() as string
  const verifying = async () => {
    await signingKeys.update()
    return signingKeys.verificationKeys().map(({ kid }) => kid)
  }
  const kept = async () => (await owner.query('SELECT * FROM retired_signing_keys')).rows
  await owner.query('DELETE FROM retired_signing_keys')
  await age(owner, 'signs_at', '30 days')
  await eventually(one.published, kids => kids.length === 2)
  await age(owner, 'signs_at', '1 hour')
  t.not(await one.signer(), first)
  t.strictSame(await verifying(), await one.published())
  await age(owner, 'retired_at', '10 minutes')
  await eventually(one.published, kids => !kids.includes(first))
  t.ok((await verifying()).includes(first))
  const [{ public_key: publicKey, keep_until: keepUntil }] = await kept() as [Record<string, any>]
  t.equal(publicKey.kid, first)
  t.notOk('d' in publicKey, 'the private part is gone')
  const { SESSION_MAX_AGE } = one.app.config
  const days = (keepUntil.getTime() - Date.now()) / 86_400_000
  t.ok(days > SESSION_MAX_AGE - 1 && days < SESSION_MAX_AGE)

  t.equal(await signingKeys.retire(first), true, 'one that leaked can still be withdrawn')
  t.notOk((await verifying()).includes(first))
  t.equal(await signingKeys.retire(first), false)
  const current = await one.signer() as string
  t.equal(await signingKeys.retire(current), true)
  t.strictSame(await kept(), [], 'of a key that is withdrawn, nothing stays')
  await startOver()
})

root.test('OPENID=on: the first ES256 key signs for clients before its time; services keep theirs', async t => {
  const { owner, start, one, startOver } = await shared()
  const first = await one.signer()
  const { app, signer, published } = await start({ OPENID: 'on' })
  t.equal(await signer(), first)
  const { kid, token } = await app.signingKeys.signForClients({ iss: 'x' }, 'logout+jwt')
  secrets.add(token)
  t.match(decodeProtectedHeader(token), { alg: 'ES256', kid, typ: 'logout+jwt' })
  t.not(kid, first)
  t.ok((await published()).includes(kid))
  t.match(await app.signingKeys.forClients(), [{ kid, publicKey: { kid, crv: 'P-256' } }])
  await age(owner, 'signs_at', '1 hour')
  t.equal(await signer(), kid)
  t.equal((await app.signingKeys.signForClients({}, 'JWT')).kid, kid)
  await app.close()
  await startOver()
})

root.test('a withdrawn key: its tokens are not reused, and another key signs', async t => {
  const { one: { app, signer, published } } = await shared()
  const first = await signer() as string
  t.equal(await signer({ sameSession: true }), first)
  t.equal(await app.signingKeys.retire(first), true)
  t.equal(await app.signingKeys.retire(first), false)
  await eventually(published, kids => kids.length === 1 && kids[0] !== first)
  t.not(await signer({ sameSession: true }), first)
})

root.test('PostgreSQL hangs: signing gives up before a reverse proxy does', async t => {
  const { owner, settings } = await createDatabase(t)
  const { app } = await build(t, { settings: { ...SETTINGS, ...settings } })
  const lock = await owner.connect()
  await lock.query('BEGIN; LOCK TABLE signing_keys')
  const cause = { message: 'PostgreSQL did not respond in time' }
  await t.rejects(app.signingKeys.sign({}), { statusCode: 503, cause })
  await lock.query('COMMIT')
  lock.release()
})

root.test('SIGNING_ALG changed: the next key has the new algorithm', async t => {
  const { owner, start, one, startOver } = await shared()
  const first = await one.signer()
  const { app, signer, published } = await start({ SIGNING_ALG: 'ES256' })
  t.equal(await signer(), first)
  await age(owner, 'signs_at', '1 hour')
  t.not(await signer(), first)
  t.ok((await stored(owner)).some(({ kid, retired }) => kid === first && retired))
  t.ok((await published()).includes(first as string))
  await app.close()
  await startOver()
})

root.test('one instance with a wrong secret does not take away the key of the others', async t => {
  const { owner, start, one: good, startOver } = await shared()
  const first = await good.signer()
  const wrong = await start({ JWT_SECRET: OTHER })
  const second = await wrong.signer()
  t.not(second, first)
  // Both have looked at the keys several times.
  await eventually(
    async () => [await good.signer(), await wrong.signer(), await good.published()],
    ([one, other, kids]) => one === first && other === second && kids?.length === 2
  )
  t.strictSame((await stored(owner)).map(({ retired }) => retired), [false, false])
  await wrong.app.close()
  await startOver()
})

root.test('JWT_SECRET changed over three roll-outs: the key stays', async t => {
  const { owner, start, one, other } = await shared()
  // The last test of these instances: from here on, there is no other one with the first secret.
  await other.app.close()
  const steps: Array<Record<string, string>> = [
    { JWT_SECRET: OLD, JWT_SECRET_PREVIOUS: NEW },
    { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD },
    { JWT_SECRET: NEW },
  ]
  const signers: unknown[] = []
  let last = one
  const first = await last.signer()
  for (const step of steps) {
    const next = await start(step)
    // Both run side by side for a while, as in a rolling restart.
    for (const { signer } of [next, last, next]) signers.push(await signer())
    await last.app.close()
    const encryption = createEncryption('signing keys', { JWT_SECRET: step.JWT_SECRET as string })
    const isOpen = async () => encryption.decrypt((await stored(owner))[0]?.private_key as string, first as string)
    await eventually(isOpen, opened => opened !== undefined)
    last = next
  }
  t.strictSame(new Set(signers), new Set([first]))
  t.strictSame((await stored(owner)).map(({ kid, retired }) => ({ kid, retired })), [{ kid: first, retired: false }])
})

root.test('JWT_SECRET replaced without the previous one: another key, loudly, and the old one goes', async t => {
  const { owner, start } = await setUp(t)
  const before = await start()
  const first = await before.signer()
  await before.app.close()
  await age(owner, 'opened_at', '10 minutes')

  const { signer, log } = await start({ JWT_SECRET: NEW })
  const second = await signer()
  t.not(second, first)
  t.match(log.lines.find(({ kid }) => kid === first), { msg: /^no secret opens this signing key/ })
  await eventually(() => stored(owner), keys => keys.some(({ kid, retired }) => kid === first && retired))
  t.equal(await signer(), second)
})
