import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import bcrypt from 'bcrypt'
import t from 'tap'
import { Overloaded, Unavailable } from '../../../src/errors.ts'
import { WeakPassword } from '../../../src/passwords/errors.ts'
import { createQueue } from '../../../src/passwords/bounded-queue.ts'
import { createStrengthRater } from '../../../src/passwords/strength.ts'
import { build, buildShared, secrets, TEST_COST } from '../../support/build.ts'

const GOOD = 'correct-Horse-42-staple'
secrets.add(GOOD)

const ONE_THREAD = { HASHING_THREADS: '1', BCRYPT_COST: '6' }
const THREE_THREADS = { HASHING_THREADS: '3', BCRYPT_COST: '8' }

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

t.test('a hash verifies its own password and no other', async t => {
  const { passwords } = (await buildShared(t)).app
  const hash = await passwords.hash(GOOD)
  t.match(hash, /^\$2b\$04\$/)
  t.equal(await passwords.verify(GOOD, hash), true)
  for (const wrong of ['', GOOD.slice(1), `${GOOD} `, GOOD.toUpperCase()]) {
    t.equal(await passwords.verify(wrong, hash), false, wrong)
  }
  for (const none of [undefined, null, '', 'garbage', '!']) {
    t.equal(await passwords.verify(GOOD, none), false, String(none))
  }
  t.not(await passwords.hash(GOOD), hash, 'salted')
})

t.test('passwords that bcrypt cannot tell apart: neither verified nor hashed', async t => {
  const { passwords } = (await buildShared(t)).app
  const PAIRS: Array<[stored: string, other: string]> = [
    ['x'.repeat(72), 'x'.repeat(73)],
    ['x'.repeat(72), 'x'.repeat(72) + 'anything'],
    ['\ud800', '\udfff'],
    ['ab', 'ab\0ab'],
  ]
  for (const [stored, other] of PAIRS) {
    const hash = await bcrypt.hash(stored, TEST_COST)
    t.equal(await bcrypt.compare(other, hash), true, 'bcrypt takes them for equal')
    t.equal(await passwords.verify(other, hash), false)
    await t.rejects(passwords.hash(other), WeakPassword)
  }
  t.equal(await passwords.verify('x'.repeat(72), await passwords.hash('x'.repeat(72))), true, '72 bytes are fine')
})

t.test('verify: equal time without a hash, with an old hash, with an overlong password', async t => {
  const { passwords } = (await buildShared(t, { settings: { ...THREE_THREADS, HASHING_LANES: '1' } })).app
  const current = await passwords.hash(GOOD)
  const cheap = await bcrypt.hash(GOOD, 5)
  const CASES: Record<string, [password: string, hash: string | undefined]> = {
    wrong: ['wrong', current],
    none: ['wrong', undefined],
    cheap: ['wrong', cheap],
    absurd: ['x'.repeat(1000), current],
    'absurd, none': ['\0', undefined],
  }
  // Counts the work of bcrypt, 2 to the power of the cost, because a busy machine distorts the time.
  const { compare } = bcrypt
  t.teardown(() => { bcrypt.compare = compare })
  let rounds = 0
  bcrypt.compare = ((password: string, hash: string) => {
    rounds += 2 ** bcrypt.getRounds(hash)
    return compare(password, hash)
  }) as typeof compare
  for (const [name, [password, hash]] of Object.entries(CASES)) {
    rounds = 0
    await passwords.verify(password, hash)
    t.equal(rounds, 256, name)
  }
})

t.test('verify: in lanes, with the same results', async t => {
  const { passwords } = (await buildShared(t, { settings: ONE_THREAD })).app
  const [current, cheap, expensive] = await Promise.all([6, 4, 7].map(cost => bcrypt.hash(GOOD, cost)))
  const CASES: Array<[password: string, hash: string | null | undefined, expected: boolean]> = [
    [GOOD, current, true],
    ['wrong', current, false],
    [GOOD, cheap, true],
    ['wrong', cheap, false],
    [GOOD, expensive, true],
    ['wrong', expensive, false],
    [GOOD, null, false],
    [GOOD, 'garbage', false],
    ['x'.repeat(1000), current, false],
    ['\0', current, false],
    ['', current, false],
  ]
  const { compare } = bcrypt
  t.teardown(() => { bcrypt.compare = compare })
  bcrypt.compare = (() => { throw new Error('not in a lane') }) as typeof compare
  const results = Promise.all(CASES.map(([password, hash]) => passwords.verify(password, hash)))
  t.match(passwords.queue, { running: 4, waiting: CASES.length - 4 }, 'none that would wait for a lane')
  t.strictSame(await results, CASES.map(([, , expected]) => expected))
  t.match(passwords.queue, { running: 0, waiting: 0 })
})

t.test('needsRenewal: a hash of a lower cost', async t => {
  const { passwords } = (await buildShared(t, { settings: ONE_THREAD })).app
  t.equal(passwords.needsRenewal(await bcrypt.hash(GOOD, 5)), true)
  t.equal(passwords.needsRenewal(await passwords.hash(GOOD)), false)
  t.equal(passwords.needsRenewal(await bcrypt.hash(GOOD, 7)), false)
  t.equal(await passwords.verify(GOOD, await bcrypt.hash(GOOD, 5)), true, 'it still verifies')
})

t.test(
  'hashing threads have a lower priority than the event loop',
  { skip: process.platform !== 'linux' && 'priorities of threads: Linux only' },
  async t => {
    const { passwords } = (await buildShared(t)).app
    await passwords.hash(GOOD)
    const threads = readdirSync('/proc/self/task').filter(
      id => readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim() === 'libuv-worker'
    )
    t.ok(threads.length > 0)
    for (const id of threads) t.equal(getPriority(Number(id)), 10)
    t.ok(getPriority(process.pid) < 10)
  }
)

t.test('HASHING_THREADS: so many passwords are hashed at once', async t => {
  const { passwords } = (await buildShared(t, { settings: THREE_THREADS })).app
  const { hash } = bcrypt
  t.teardown(() => { bcrypt.hash = hash })
  let [now, most] = [0, 0]
  bcrypt.hash = (async (password: string, cost: number) => {
    most = Math.max(most, ++now)
    return hash(password, cost).finally(() => { now-- })
  }) as typeof hash
  await Promise.all(Array.from({ length: 8 }, () => passwords.hash(GOOD)))
  t.equal(most, 3)
})

t.test('full queue: refused at once (503), accepted requests finish', async t => {
  const { app } = await build(t, {
    before: app => {
      app.register(async app => app.get('/hash', async () => ({ hash: await app.passwords.hash(GOOD) })))
    },
  })
  const capacity = availableParallelism() * (4 + 16)
  // Nothing is hashed before the others are refused: on a busy machine, those that wait would be given up.
  const { hash } = bcrypt
  t.teardown(() => { bcrypt.hash = hash })
  const others = Promise.withResolvers<void>()
  bcrypt.hash = ((password: string, cost: number) => others.promise.then(() => hash(password, cost))) as typeof hash
  let refusals = 0
  const start = performance.now()
  const answers = await Promise.all(
    Array.from({ length: capacity + 30 }, async () => {
      const answer = await app.inject('/hash')
      if (answer.statusCode === 503 && ++refusals === 30) others.resolve()
      return {
        code: answer.statusCode,
        retryAfter: answer.headers['retry-after'],
        body: answer.json(),
        at: performance.now() - start,
      }
    })
  )
  const accepted = answers.filter(answer => answer.code === 200)
  const refused = answers.filter(answer => answer.code === 503)
  t.equal(accepted.length + refused.length, answers.length)
  t.strictSame([accepted.length, refused.length], [capacity, 30])
  for (const { retryAfter, body } of refused) {
    t.match({ retryAfter, body }, { retryAfter: '5', body: { error: 'Service Unavailable', message: /try again/ } })
  }
  t.ok(median(refused.map(({ at }) => at)) < median(accepted.map(({ at }) => at)), 'a refusal is immediate')
  t.match(app.passwords.queue, { running: 0, waiting: 0 })
})

t.test('queue: bounded concurrency, in order, a failure frees its place', async t => {
  const queue = createQueue({ name: 'tests', maxRunning: 2, maxWaiting: 3 })
  const begun: number[] = []
  let most = 0
  const work = (id: number) =>
    queue.run(async () => {
      begun.push(id)
      most = Math.max(most, queue.running)
      await sleep(5)
      if (id % 2) throw new Error(`fault ${id}`)
      return id
    })
  const all = Promise.allSettled([0, 1, 2, 3, 4].map(work))
  t.match(queue, { running: 2, waiting: 3 })
  await t.rejects(work(5), Overloaded)
  t.strictSame(
    (await all).map(each => (each.status === 'fulfilled' ? each.value : each.reason.message)),
    [0, 'fault 1', 2, 'fault 3', 4]
  )
  t.strictSame(begun, [0, 1, 2, 3, 4])
  t.equal(most, 2)
  t.match(queue, { running: 0, waiting: 0 })
})

t.test('queue: refused after its timeout, its place goes to the next', async t => {
  const queue = createQueue({ name: 'tests', maxRunning: 1, maxWaiting: 1, timeout: 50 })
  const long = queue.run(() => sleep(200, 'done'))
  await t.rejects(
    queue.run(async () => 'never'),
    Overloaded
  )
  t.match(queue, { running: 1, waiting: 0 })
  t.equal(await long, 'done')
  t.equal(await queue.run(async () => 'next'), 'next')
})

t.test('queue: a task that is cancelled before its turn is skipped', async t => {
  const queue = createQueue({ name: 'tests', maxRunning: 1, maxWaiting: 9 })
  const first = Promise.withResolvers<void>()
  const running = queue.run(() => first.promise)
  const gone = new AbortController()
  const begun: string[] = []
  const skipped = queue.run(async () => begun.push('skipped'), gone.signal)
  const next = queue.run(async () => begun.push('next'), new AbortController().signal)
  gone.abort()
  await t.rejects(skipped, Overloaded)
  await t.rejects(queue.run(async () => begun.push('never'), AbortSignal.abort()), Overloaded)
  t.match(queue, { running: 1, waiting: 1 })
  first.resolve()
  await Promise.all([running, next])
  t.strictSame(begun, ['next'])
  t.match(queue, { running: 0, waiting: 0 })
})

t.test('require: throws the validation result (422)', async t => {
  const { passwords } = (await buildShared(t)).app
  await passwords.require(GOOD, ['ann', 'ann@example.org'])
  const refusal: WeakPassword = await passwords.require('password', []).then(
    () => t.fail(),
    error => error
  )
  t.match(refusal, {
    statusCode: 422,
    error: 'Weak password',
    message: 'Choose a password that meets every rule.',
    fields: { valid: false },
  })
  t.match(refusal.fields.errors, [
    'Password must contain uppercase letters',
    'Password must contain numbers',
    'Password must contain special characters',
    /^Password is too weak\. .*This is a top-10 common password$/,
  ])
})

t.test('rater: finishes pending ratings before it closes', async t => {
  const rater = createStrengthRater()
  const ratings = Promise.all([rater.rate(GOOD, []), rater.rate('password', [])])
  await rater.close()
  t.match(await ratings, [{ score: 4 }, { score: 0 }])
})

t.test('rater: a fault is an outage (503), the next rating succeeds', async t => {
  const rater = createStrengthRater()
  t.teardown(rater.close)
  await t.rejects(rater.rate(GOOD, [(() => 'cannot be sent') as unknown as string]), Unavailable)
  t.match(await rater.rate(GOOD, []), { score: 4 })
})

t.test('rater: an idle worker does not keep the process alive', async t => {
  const rater = JSON.stringify(new URL('../../../src/passwords/strength.ts', import.meta.url))
  const script = `
    import { createStrengthRater } from ${rater}
    console.log((await createStrengthRater().rate('password', [])).score)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
  })
  const [[output], [code]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')])
  t.equal(String(output), '0\n')
  t.equal(code, 0)
})
