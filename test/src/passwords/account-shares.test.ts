import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Overloaded } from '../../../src/errors.ts'
import { createAccountShares, type Claimant } from '../../../src/passwords/account-shares.ts'
import { createQueue } from '../../../src/passwords/bounded-queue.ts'

const TIMEOUT = 60_000

/** The hashing queue of a machine with two cores, whose work ends when the test says so. */
function setUp () {
  const queue = createQueue({ name: 'tests', maxRunning: 2, maxWaiting: 32 })
  const shareOf = createAccountShares({ timeout: TIMEOUT, threads: 2 })
  const running: Array<{ who: string, end (): void }> = []

  function work (who: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    running.push({ who, end: resolve })
    return promise
  }

  return {
    queue,
    running: () => running.map(({ who }) => who),
    check (claimant: Claimant, signal?: AbortSignal) {
      const who = 'client' in claimant ? claimant.client : claimant.login
      return shareOf(claimant, () => queue.run(() => work(who), signal), signal)
    },
    /** Ends the check that began first. */
    async endOne () {
      running.shift()?.end()
      await turn()
    },
  }
}

const known = (id: string, userId = '1'): Claimant => ({ login: 'ada', browser: { id, user: { id: userId } } })

t.test('40 connections of one account in a loop: others lose no login, and wait for it once', async t => {
  const { queue, running, check, endOne } = setUp()
  const over = new AbortController()
  async function loop () {
    while (!over.signal.aborted) await check({ login: 'mallory' })
  }
  const loops = Array.from({ length: 40 }, loop)
  const served: string[] = []
  let refused = 0
  for (let round = 0; round < 10; round++) {
    for (const name of ['a', 'b', 'c', 'd']) {
      check({ login: `${name}${round}` }).then(() => served.push(name), () => refused++)
    }
    t.ok(queue.running + queue.waiting <= 5, 'four and one')
    // As long as it takes to check four passwords and one, one after another.
    for (let each = 0; each < 5; each++) await endOne()
  }
  t.equal(refused, 0)
  t.ok(served.length >= 36, `${served.length} of 40`)
  over.abort()
  while (running().length > 0) await endOne()
  await Promise.all(loops)
  t.match(queue, { running: 0, waiting: 0 })
})

t.test('one place for all spellings of a login name, whether there is such an account or not', async t => {
  const { running, check, endOne } = setUp()
  const all = ['ada', 'ADA', 'İda', 'ida'].map(login => check({ login }))
  await turn()
  t.strictSame(running(), ['ada', 'İda'])
  for (let each = 0; each < 4; each++) await endOne()
  await Promise.all(all)
})

t.test('known browsers: a place of their own, one for all, and each of them waits for it once', async t => {
  const { running, check, endOne } = setUp()
  const strangers = Array.from({ length: 30 }, () => check({ login: 'ada' }))
  const thief = Array.from({ length: 30 }, () => check(known('thief')))
  let isServed = false
  const owner = check(known('owner')).then(() => { isServed = true })
  await turn()
  t.strictSame(running(), ['ada', 'ada'], 'one stranger and one known browser')
  // The stranger, the thief, and each once more: then it is the turn of the owner.
  for (let each = 0; each < 4; each++) await endOne()
  t.ok(isServed, 'before 29 others that a known browser of the thief asked for')
  while (running().length > 0) await endOne()
  await Promise.all([...strangers, ...thief, owner])
})

t.test('registrations: half of the threads for all of them, and each client waits once', async t => {
  const { queue, running, check, endOne } = setUp()
  const flood = Array.from({ length: 40 }, (_, index) => check({ client: `203.0.113.${index % 8}` }))
  let isServed = false
  const newcomer = check({ client: '198.51.100.1' }).then(() => { isServed = true })
  const logins = ['ada', 'bob'].map(login => check({ login }))
  await turn()
  t.strictSame(running(), ['203.0.113.0', 'ada'])
  t.equal(queue.waiting, 1, 'the other login')
  for (let each = 0; each < 11; each++) await endOne()
  t.ok(isServed, 'after one of each other client, and the two logins')
  while (running().length > 0) await endOne()
  await Promise.all([...flood, ...logins, newcomer])
})

t.test('those beyond the line of an account, and those that have gone, are refused; the line goes on', async t => {
  const { running, check, endOne } = setUp()
  const gone = new AbortController()
  const first = check({ login: 'ada' })
  const left = check({ login: 'ada' }, gone.signal)
  const waiting = Array.from({ length: 99 }, () => check({ login: 'ada' }))
  await t.rejects(check({ login: 'ada' }), Overloaded)
  gone.abort()
  await t.rejects(left, Overloaded)
  t.strictSame(running(), ['ada'])
  while (running().length > 0) await endOne()
  await Promise.all([first, ...waiting])
})
