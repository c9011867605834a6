import bcrypt from 'bcrypt'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, setPriority } from 'node:os'
import { WeakPassword } from '../../src/errors.ts'
import { createQueue } from '../../src/passwords/bounded-queue.ts'
import { isHashable, applyRules, wordsOf, type Assessment } from '../../src/passwords/policy.ts'
import { createStrengthRater } from '../../src/passwords/strength.ts'

declare module 'fastify' {
  interface FastifyInstance { passwords: ReturnType<typeof createPasswords> }
}

const CORES = availableParallelism()
const WAITING_PER_CORE = 16

/** A hash like any other, but no password is known that has it. */
const neverMatching = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`

const costOf = (hash: string) => Number(/^\$2[ab]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1] ?? 0)

function createPasswords (app: FastifyInstance) {
  const cost = app.config.BCRYPT_COST
  const queue = createMeteredQueue(app)
  const rater = createStrengthRater()
  app.addHook('onClose', rater.close)

  let lowered = false
  async function hashing<T> (work: () => Promise<T>): Promise<T> {
    const result = await queue.run(work)
    if (!lowered) lowerHashingPriority()
    lowered = true
    return result
  }

  async function assess (password: string, inputs: string[]): Promise<Assessment> {
    return applyRules(password, isHashable(password) ? await rater.rate(password, wordsOf([...inputs, app.config.BRAND_NAME])) : undefined)
  }

  return {
    queue,
    assess,

    async require (password: string, inputs: string[]): Promise<void> {
      const { valid, errors } = await assess(password, inputs)
      if (!valid) throw new WeakPassword(errors)
    },

    async hash (password: string): Promise<string> {
      if (!isHashable(password)) throw new WeakPassword(applyRules(password).errors)
      return hashing(() => bcrypt.hash(password, cost))
    },

    /** Takes the same time whether there is a hash, an older and cheaper one, or none. */
    async verify (password: string, hash?: string | null): Promise<boolean> {
      const usable = isHashable(password)
      const known = hash && costOf(hash) > 0 ? hash : neverMatching(cost)
      return hashing(async function compare () {
        if (await bcrypt.compare(usable ? password : '', known)) return usable
        // A step of cost doubles the time: these add up to what an older, cheaper hash saved.
        for (let step = costOf(known); step < cost; step++) await bcrypt.compare('', neverMatching(step))
        return false
      })
    },

    needsRenewal: (hash: string): boolean => costOf(hash) < cost,
  }
}

function createMeteredQueue ({ metrics }: FastifyInstance) {
  const maxWaiting = CORES * WAITING_PER_CORE
  const onStart = metrics.durations('gatehouse_hashing_wait_seconds', 'Time that a password waited for its turn to be hashed')({})
  const refusals = metrics.counter('gatehouse_hashing_refused_total', 'Passwords that were not hashed because the queue was full', {})
  const queue = createQueue({ maxRunning: CORES, maxWaiting, onStart, onRefusal: () => refusals({}) })
  metrics.gauge('gatehouse_hashing_running', 'Passwords that are being hashed', () => queue.running)
  metrics.gauge('gatehouse_hashing_waiting', 'Passwords that wait to be hashed', () => queue.waiting)
  metrics.gauge('gatehouse_hashing_waiting_max', 'Passwords that may wait to be hashed', () => maxWaiting)
  return queue
}

/** While logins saturate the machine, the event loop goes first. Linux only, where each thread has its own priority. */
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
  app.decorate('passwords', createPasswords(app))
}, { name: 'passwords', dependencies: ['metrics'] })
