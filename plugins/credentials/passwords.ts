import bcrypt from 'bcrypt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { availableCores } from '../../src/passwords/available-cores.ts'
import { createQueue } from '../../src/passwords/bounded-queue.ts'
import { BreachedPassword, WeakPassword } from '../../src/passwords/errors.ts'
import { loadLanes, type Check, type Lanes } from '../../src/passwords/lanes.ts'
import { isHashable, applyRules, wordsOf, type Assessment } from '../../src/passwords/policy.ts'
import { createStrengthRater } from '../../src/passwords/strength.ts'

declare module 'fastify' {
  interface FastifyInstance { passwords: ReturnType<typeof createPasswords> }
}

const MAX_WAITING_PER_THREAD = 16
/** No password waits longer than this for its turn. */
const QUEUE_TIMEOUT = 8_000

/** A well-formed hash that no known password matches. */
const dummyHash = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`

const costOf = (hash: string) => Number(/^\$2[ab]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1] ?? 0)

function createPasswords (app: FastifyInstance, lanes?: Lanes) {
  const cost = app.config.BCRYPT_COST
  const queue = createMeteredQueue(app, lanes)
  const rater = createStrengthRater()
  app.addHook('onClose', rater.close)

  let priorityLowered = false
  async function runQueued<T> (work: () => Promise<T>, signal?: AbortSignal, check?: Check): Promise<T> {
    const result = await queue.run(work, signal, check)
    if (!priorityLowered) lowerHashingPriority()
    priorityLowered = true
    return result
  }

  async function compareAlone ({ password, hash }: Check): Promise<boolean> {
    if (await bcrypt.compare(password, hash)) return true
    // Each cost step doubles the time: these comparisons add up to what a cheaper hash saved.
    for (let step = costOf(hash); step < cost; step++) await bcrypt.compare('', dummyHash(step))
    return false
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

    async hash (password: string): Promise<string> {
      if (!isHashable(password)) throw new WeakPassword(applyRules(password).errors)
      return runQueued(() => bcrypt.hash(password, cost))
    },

    /** Takes the same time with a hash of the current cost, with a cheaper one, and with none. */
    async verify (password: string, hash?: string | null, signal?: AbortSignal): Promise<boolean> {
      const hashable = isHashable(password)
      const check = { password: hashable ? password : '', hash: hash && costOf(hash) > 0 ? hash : dummyHash(cost) }
      const matches = await runQueued(() => compareAlone(check), signal, lanes?.accept(check) ? check : undefined)
      return matches && hashable
    },

    needsRenewal: (hash: string): boolean => costOf(hash) < cost,
  }
}

function createMeteredQueue ({ config, metrics }: FastifyInstance, together?: Lanes) {
  const threads = config.HASHING_THREADS ?? availableCores()
  const maxWaiting = threads * MAX_WAITING_PER_THREAD
  const waits = metrics.durations('gatehouse_hashing_wait_seconds', 'Time that passwords waited in the hashing queue')
  const refusals = metrics.counter(
    'gatehouse_hashing_refused_total',
    'Passwords refused because the hashing queue was full',
    {}
  )
  const queue = createQueue({
    name: 'passwords',
    maxRunning: threads,
    maxWaiting,
    timeout: QUEUE_TIMEOUT,
    together,
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
      if (name === 'libuv-worker') setPriority(Number(thread), 10)
    } catch {}
  }
}

export default fp(async function (app) {
  const { lanes, reason } = await loadLanes(app.config)
  if (reason) app.log.warn(`each core checks one password at a time: ${reason}`)
  app.decorate('passwords', createPasswords(app, lanes))
}, { name: 'passwords', dependencies: ['breached-passwords', 'metrics'] })
