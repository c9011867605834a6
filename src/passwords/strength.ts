import { extname } from 'node:path'
import { Piscina } from 'piscina'
import { Overloaded, Unavailable } from '../errors.ts'
import { createQueue } from './bounded-queue.ts'
import { createOneAtATime } from './one-at-a-time.ts'
import { MIN_STRONG_SCORE, type Strength } from './policy.ts'

export interface Rating { password: string, words: string[] }

/** One in 150 passwords of 72 random characters takes longer. The median is 0.13 s. */
export const SLOW_TIMEOUT = 1_000
/** For passwords that zxcvbn rates within 0.1 s, unless the machine is overloaded. */
export const QUICK_TIMEOUT = 3_000
const START_TIMEOUT = 10_000
const MAX_WAITING = 64
const MAX_WAITING_OF_CLIENT = 32
const QUEUE_TIMEOUT = 8_000
/** zxcvbn rates any text of this length within 0.1 s. */
const PART_LENGTH = 12
/**
 * On Linux the priority of a thread. Elsewhere it would be the priority of the whole process.
 * With 10, as hashing has, the kernel would give it 3 % of a core beside eight busy programs on two cores.
 */
const NICE_INCREMENT = process.platform === 'linux' ? 5 : 0

// A .ts file in the sources and a .js file in dist/, where this one is in another folder.
const WORKER = new URL(`../passwords/strength-worker${extname(import.meta.url)}`, import.meta.url)

/** Rates in worker threads: zxcvbn takes seconds on a hostile password, and would block the event loop. */
export function createStrengthRater () {
  const quick = createLane(QUICK_TIMEOUT)
  const slow = createLane(SLOW_TIMEOUT)
  const ofClient = { name: 'password ratings', maxWaiting: MAX_WAITING_OF_CLIENT, timeout: QUEUE_TIMEOUT }
  const quickOfClient = createOneAtATime(ofClient)
  const slowOfClient = createOneAtATime(ofClient)

  async function rateQuickly (rating: Rating): Promise<Strength> {
    const strength = await quick.rate(rating)
    if (!strength) throw new Unavailable(new Error('a password could not be rated in time'))
    return strength
  }

  /** A password is at least as strong as a part of it. A weak part says nothing about the whole. */
  async function rateParts ({ password, words }: Rating): Promise<Strength> {
    // Cut in two, a long word of the user would no longer be recognised.
    const isOfUser = words.some(word => word.length > PART_LENGTH && password.toLowerCase().includes(word))
    for (const part of isOfUser ? [] : [password.slice(0, PART_LENGTH), password.slice(-PART_LENGTH)]) {
      const strength = await rateQuickly({ password: part.toWellFormed(), words })
      if (strength.score >= MIN_STRONG_SCORE) return strength
    }
    throw new Unavailable(new Error('a password could not be rated in time, nor by a part of it'))
  }

  async function rateSlowly (rating: Rating): Promise<Strength> {
    const strength = await slow.rate(rating).catch(ignoreOverload)
    return strength ?? rateParts(rating)
  }

  return {
    /** Throws Unavailable if there was no time to rate the password: it is never called weak for that. */
    rate (password: string, words: string[], client = 'local'): Promise<Strength> {
      const rating = { password, words }
      return isQuick(password)
        ? quickOfClient(client, () => rateQuickly(rating))
        : slowOfClient(client, () => rateSlowly(rating))
    },

    async close () {
      await Promise.all([quick.close(), slow.close()])
    },
  }
}

function ignoreOverload (error: unknown): undefined {
  if (!(error instanceof Overloaded)) throw error
}

/** zxcvbn has few interpretations to try. Hostile passwords go to the other lane and delay no ordinary one. */
function isQuick (password: string): boolean {
  return password.length <= 32 && new Set(password.match(/\P{L}/gu)).size <= 8
}

/** One worker, which starts with the first rating and is replaced after a timeout. */
function createLane (timeout: number) {
  const queue = createQueue({
    name: 'password ratings',
    maxRunning: 1,
    maxWaiting: MAX_WAITING,
    timeout: QUEUE_TIMEOUT,
  })
  const pool = new Piscina<Rating, Strength>({
    filename: WORKER.href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: Infinity,
    niceIncrement: NICE_INCREMENT,
    execArgv: [],
  })
  // A worker that fails also rejects its rating.
  pool.on('error', () => {})

  async function run (rating: Rating, timeout: number): Promise<Strength | undefined> {
    const signal = AbortSignal.timeout(timeout)
    return pool.run(rating, { signal }).catch(error => signal.aborted ? undefined : Promise.reject(error))
  }

  async function rateNow (rating: Rating): Promise<Strength | undefined> {
    try {
      // The timeout of a rating must not include the start of the worker, which is slow on a busy machine.
      const isStarted = pool.threads.length > 0 || await run({ password: '', words: [] }, START_TIMEOUT)
      if (!isStarted) throw new Error(`the worker did not start within ${START_TIMEOUT} ms`)
      return await run(rating, timeout)
    } catch (error) {
      throw new Unavailable(error)
    }
  }

  return {
    rate: (rating: Rating) => queue.run(() => rateNow(rating)),
    /** Waits for the ratings before it. */
    close: () => queue.run(() => pool.destroy()).catch(() => pool.destroy()),
  }
}
