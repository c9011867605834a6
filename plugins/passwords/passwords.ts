import bcrypt from 'bcrypt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, setPriority } from 'node:os'
import { createAccountShares, type Claimant } from '../../src/passwords/account-shares.ts'
import { createQueue } from '../../src/passwords/bounded-queue.ts'
import { BreachedPassword, WeakPassword } from '../../src/passwords/errors.ts'
import { HASHING_PRIORITY, loadLanes, type Lanes } from '../../src/passwords/lanes.ts'
import { isHashable, applyRules, wordsOf, type Assessment } from '../../src/passwords/policy.ts'
import { costOf, dummyHash, requireBcrypt, withKnownVersion } from '../../src/passwords/schemes/bcrypt.ts'
import { foreignHash, parseForeignHash, type ForeignHash } from '../../src/passwords/schemes/foreign-hash.ts'
import { createStrengthRater } from '../../src/passwords/strength.ts'
import { createVerifier } from '../../src/passwords/verifier.ts'

declare module 'fastify' {
  interface FastifyInstance { passwords: ReturnType<typeof createPasswords> }
}

export const MAX_WAITING_PER_THREAD = 16
/** No password waits longer than this for its turn. */
const QUEUE_TIMEOUT = 8_000

/** Checks at once that need much memory, on any number of cores. */
const MAX_MEMORY_HARD = 2

function createPasswords (app: FastifyInstance, lanes?: Lanes) {
  const cost = app.config.BCRYPT_COST
  const threads = app.config.HASHING_THREADS ?? availableParallelism()
  const queue = createMeteredQueue(app, threads, lanes?.max)
  /** For what lanes do not do: each has a thread to itself. */
  const alone = createQueue({ name: 'passwords', maxRunning: threads, maxWaiting: Infinity })
  const memoryHard = createQueue({
    name: 'passwords with memory-hard hashes',
    maxRunning: MAX_MEMORY_HARD,
    maxWaiting: MAX_MEMORY_HARD * MAX_WAITING_PER_THREAD,
    timeout: QUEUE_TIMEOUT,
  })
  const shareOf = createAccountShares({ timeout: QUEUE_TIMEOUT, threads })
  const verifier = createVerifier(cost, lanes)
  const rater = createStrengthRater()
  app.addHook('onClose', rater.close)

  let priorityLowered = false
  async function runQueued<T> (work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const result = await queue.run(work, signal)
    if (!priorityLowered) lowerHashingPriority()
    priorityLowered = true
    return result
  }

  const runAlone = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
    runQueued(() => alone.run(work), signal)

  /** Work of no claimant, such as a command of an operator, has no account that it could wait for. */
  async function inTurn<T> (claimant: Claimant | undefined, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return claimant ? shareOf(claimant, work, signal) : work()
  }

  async function verifyForeign (password: string, foreign: ForeignHash, signal?: AbortSignal): Promise<boolean> {
    const check = () => runAlone(() => verifier.compareForeign(password, foreign), signal)
    return foreign.memory > 0 ? memoryHard.run(check, signal) : check()
  }

  async function verifyBcrypt (password: string, hash?: string, signal?: AbortSignal): Promise<boolean> {
    const check = { password, hash: hash ? withKnownVersion(hash) : dummyHash(verifier.cost) }
    return runQueued(() => verifier.compareBcrypt(check), signal)
  }

  /** Each client has one costly rating at a time: `client` names it. */
  async function assess (password: string, inputs: string[], client?: string): Promise<Assessment> {
    if (!isHashable(password)) return applyRules(password)
    return applyRules(password, await rater.rate(password, wordsOf([...inputs, app.config.BRAND_NAME]), client))
  }

  return {
    queue,
    assess,

    /** Throws WeakPassword unless a new password meets all rules and is not known to be breached. */
    async require (password: string, inputs: string[], client?: string): Promise<void> {
      const { valid, errors } = await assess(password, inputs, client)
      if (!valid) throw new WeakPassword(errors)
      if (await app.isBreached(password)) throw new BreachedPassword()
    },

    async hash (password: string, claimant?: Claimant): Promise<string> {
      if (!isHashable(password)) throw new WeakPassword(applyRules(password).errors)
      return inTurn(claimant, () => runAlone(() => bcrypt.hash(password, cost)))
    },

    /** A wrong password takes the same time with every kind of hash, and with none. */
    async verify (
      password: string,
      hash?: string | null,
      claimant?: Claimant,
      signal?: AbortSignal
    ): Promise<boolean> {
      const hashable = isHashable(password)
      const given = hashable ? password : ''
      const known = hash && costOf(hash) > 0 ? hash : undefined
      const foreign = known ? undefined : foreignHash(hash)
      const matches = await inTurn(claimant, () =>
        foreign ? verifyForeign(given, foreign, signal) : verifyBcrypt(given, known, signal), signal)
      return matches && hashable
    },

    /** Learns how long such a hash takes, so that every wrong password takes as long from the first one on. */
    async prepareFor (sample: string) {
      if (costOf(sample) > 0) return verifier.raiseTo(requireBcrypt(sample).cost)
      const foreign = parseForeignHash(sample)
      const calibrate = () => runAlone(() => verifier.calibrate(foreign))
      return foreign.memory > 0 ? memoryHard.run(calibrate) : calibrate()
    },

    /** The cost of bcrypt that a wrong password takes at present. */
    get decoyCost () { return verifier.cost },

    needsRenewal: (hash: string): boolean => costOf(hash) < cost,
  }
}

function createMeteredQueue ({ metrics }: FastifyInstance, threads: number, lanes = 1) {
  const maxWaiting = threads * MAX_WAITING_PER_THREAD
  const waits = metrics.durations('gatehouse_hashing_wait_seconds', 'Time that passwords waited in the hashing queue')
  const refusals = metrics.counter(
    'gatehouse_hashing_refused_total',
    'Passwords refused because the hashing queue was full',
    {}
  )
  const queue = createQueue({
    name: 'passwords',
    // None that would wait for a lane: an imported hash is checked in several turns, and if each of them waited,
    // the response would take longer than that for an unknown user.
    maxRunning: threads * lanes,
    maxWaiting,
    timeout: QUEUE_TIMEOUT,
    onStart: waits({}),
    onRefusal: () => refusals({}),
  })
  metrics.gauge('gatehouse_hashing_running', 'Passwords being hashed', () => queue.running)
  metrics.gauge('gatehouse_hashing_waiting', 'Passwords waiting in the hashing queue', () => queue.waiting)
  metrics.gauge('gatehouse_hashing_waiting_max', 'Maximum length of the hashing queue', () => maxWaiting)
  return queue
}

/** Gives the event loop precedence while logins use all cores. On Linux only, where threads have priorities. */
function lowerHashingPriority () {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
      if (name === 'libuv-worker') setPriority(Number(thread), HASHING_PRIORITY)
    } catch {}
  }
}

export default fp(async function (app) {
  const { lanes, reason } = await loadLanes(app.config)
  if (reason) app.log.warn(`each core checks one password at a time: ${reason}`)
  app.decorate('passwords', createPasswords(app, lanes))
}, { name: 'passwords', dependencies: ['breached-passwords', 'metrics'] })
