import t, { type Test } from 'tap'
import { Unavailable } from '../../../src/errors.ts'
import { createBrowser, createUser, NO_LIMITS } from '../../support/browser.ts'
import { build, buildShared, redisUrl, withoutRedis } from '../../support/build.ts'
import { addTotp, codeOf } from '../../support/second-factor.ts'

const PARALLEL = 50

async function oneInstance (t: Test, settings: Record<string, string> = {}) {
  const { app, owner } = await buildShared(t, { settings: { ...NO_LIMITS, ...settings } })
  const user = await createUser(owner)
  return { app, owner, user, factor: await addTotp(owner, user.id) }
}

/** By their database. */
const others = new Map<string, ReturnType<typeof build>>()

async function twoInstances (test: Test, settings: Record<string, string> = {}) {
  const { app, ...rest } = await oneInstance(test, settings)
  const DATABASE_URL = app.config.DATABASE_URL as string
  const other = others.get(DATABASE_URL) ?? build(t, { settings: { ...NO_LIMITS, DATABASE_URL, ...settings } })
  others.set(DATABASE_URL, other)
  return { ...rest, apps: [app, (await other).app] as const }
}

t.test('one code, fifty at once, two instances: accepted once', async t => {
  const { owner, apps, user, factor: { secret, recoveryCodes: [recovery = ''] } } = await twoInstances(t)
  const code = codeOf(secret)
  const accepted = await Promise.all(Array.from({ length: PARALLEL }, (_, index) =>
    (apps[index % 2] ?? apps[0]).totp.accept(user.id, code)))
  t.equal(accepted.filter(Boolean).length, 1)

  const used = await Promise.all(Array.from({ length: PARALLEL }, (_, index) =>
    (apps[index % 2] ?? apps[0]).recoveryCodesStore.use(apps[index % 2]?.database ?? owner, user.id, recovery)))
  t.equal(used.filter(Boolean).length, 1)
})

t.test('one code, fifty logins at once, two instances: one session', { skip: withoutRedis }, async t => {
  const REDIS_PREFIX = `test:${process.pid}:${Date.now()}:`
  const shared = { REDIS_URL: await redisUrl(t), REDIS_PREFIX }
  const { owner, apps, user, factor: { secret, recoveryCodes: [recovery = ''] } } = await twoInstances(t, shared)
  for (const code of [codeOf(secret), recovery]) {
    const browsers = Array.from({ length: PARALLEL }, (_, index) => createBrowser(apps[index % 2] ?? apps[0]))
    for (const browser of browsers) t.equal((await browser.signIn(user.username)).statusCode, 202)
    const answers = await Promise.all(browsers.map(browser => browser.post('/login/second-factor', { code })))
    const statuses = answers.map(({ statusCode }) => statusCode)
    t.equal(statuses.filter(status => status === 200).length, 1, statuses.join(' '))
    t.strictSame(statuses.filter(status => ![200, 401, 429].includes(status)), [])
    t.equal((await owner.query('SELECT FROM refresh_tokens')).rowCount, 1)
    await owner.query('DELETE FROM refresh_tokens')
    // The first round used up the wrong codes of this hour.
    await Promise.all(apps.map(async app => app.redis?.del(`${REDIS_PREFIX}codes:${user.id}`)))
  }
})

t.test('a clock that jumps back accepts nothing twice, and nothing older', async t => {
  const { apps: [app, other], user, factor: { secret } } = await twoInstances(t)
  const now = Date.now()
  t.equal(await app.totp.accept(user.id, codeOf(secret, 0, now), now), true)
  for (const seconds of [0, -30, -60, -300, -3_600]) {
    const then = now + seconds * 1_000
    for (const steps of [-1, 0, 1]) {
      if (seconds === 0 && steps === 1) continue
      t.equal(await other.totp.accept(user.id, codeOf(secret, steps, then), then), false, `${seconds} s, ${steps}`)
    }
  }
  t.equal(await other.totp.accept(user.id, codeOf(secret, 1, now), now), true, 'the next code')
  t.equal(await app.totp.accept(user.id, codeOf(secret, 0, now), now), false, 'none before it')
})

t.test('a key that was not confirmed accepts nothing', async t => {
  const { owner, app, user, factor: { secret } } = await oneInstance(t)
  await owner.query('UPDATE totp SET confirmed_at = NULL')
  t.equal(await app.totp.accept(user.id, codeOf(secret)), false)
})

t.test('an encrypted key is decrypted only for its own account', async t => {
  const { owner, app, user, factor: { secret } } = await oneInstance(t)
  const other = await createUser(owner)
  await owner.query('INSERT INTO totp (user_id, secret, confirmed_at) SELECT $1, secret, now() FROM totp', [other.id])
  await t.rejects(app.totp.accept(other.id, codeOf(secret)), Unavailable)
  t.equal(await app.totp.accept(user.id, codeOf(secret)), true)
})
