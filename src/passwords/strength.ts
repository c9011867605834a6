import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../errors.ts'
import { createQueue } from './bounded-queue.ts'
import type { Strength } from './policy.ts'

/** Of 150 passwords of 72 random characters one needs more: the median is 0.13 s. */
const SLOW_TIMEOUT = 1_000
/** For what zxcvbn rates within 0.1 s, unless the machine has no time for us. */
const QUICK_TIMEOUT = 3_000
const START_TIMEOUT = 10_000
const MAX_WAITING = 64
const QUEUE_TIMEOUT = 3_000

// Written so, the compiler does not see an import: the worker is a .ts file beside this one, or a .js file in dist/.
const WORKER = new URL(`./strength-worker${extname(import.meta.url)}`, import.meta.url)

/** Rates in worker threads: seconds of zxcvbn on a hostile password must not hold up the event loop. */
export function createStrengthRater () {
  const quick = createLane(QUICK_TIMEOUT)
  const slow = createLane(SLOW_TIMEOUT)

  return {
    /** `undefined`: not rated within the deadline. */
    rate (password: string, words: string[]): Promise<Strength | undefined> {
      return (isQuick(password) ? quick : slow).rate(password, words)
    },

    async close () {
      await Promise.all([quick.close(), slow.close()])
    },
  }
}

/** Few readings for zxcvbn to try. Hostile ones are in the other lane, and hold up nobody here. */
function isQuick (password: string): boolean {
  return password.length <= 32 && new Set(password.match(/\P{L}/gu)).size <= 8
}

/** One worker, started when first needed, and replaced after it missed a deadline. */
function createLane (deadline: number) {
  const queue = createQueue({ name: 'password ratings', maxRunning: 1, maxWaiting: MAX_WAITING, timeout: QUEUE_TIMEOUT })
  let worker: Worker | undefined

  async function startWorker (): Promise<Worker> {
    const started = new Worker(WORKER, { name: 'strength', execArgv: [] })
    started.on('error', () => {}).on('exit', () => { if (worker === started) worker = undefined })
    worker = started
    await once(started, 'message', { signal: AbortSignal.timeout(START_TIMEOUT) })
    return started
  }

  async function stopWorker () {
    await worker?.terminate()
  }

  async function rateNow (password: string, words: string[]): Promise<Strength | undefined> {
    try {
      const rater = worker ?? await startWorker()
      // The process lives on for an answer, and not for an idle worker.
      rater.ref()
      const signal = AbortSignal.timeout(deadline)
      rater.postMessage({ password, words })
      const [strength] = await once(rater, 'message', { signal }).catch(error => signal.aborted ? [] : Promise.reject(error))
      rater.unref()
      if (!strength) await stopWorker()
      return strength
    } catch (error) {
      await stopWorker()
      throw new Unavailable(error)
    }
  }

  return {
    rate: (password: string, words: string[]) => queue.run(() => rateNow(password, words)),
    /** After those that wait for an answer. */
    close: () => queue.run(stopWorker).catch(stopWorker),
  }
}
