import { Overloaded } from '../errors.ts'

interface Options {
  /** What waits, for the log: "logins waited …". */
  name: string
  maxRunning: number
  maxWaiting: number
  /** Milliseconds after which one that still waits is refused. */
  timeout?: number
  /** Called at each start, with the seconds that it waited. */
  onStart? (waited: number): void
  /** Called for each that is refused. */
  onRefusal? (): void
}

/** Runs so many at once, lets so many wait, and refuses the rest at once. */
export function createQueue ({ name, maxRunning, maxWaiting, timeout, onStart, onRefusal }: Options) {
  const waiting = new Set<() => void>()
  let running = 0

  function refuse (reason: string, cause?: unknown): Overloaded {
    onRefusal?.()
    return new Overloaded(reason, cause)
  }

  async function waitForTurn (signal?: AbortSignal): Promise<void> {
    if (waiting.size >= maxWaiting) throw refuse(`the queue of ${name} is full`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    function giveUp () {
      waiting.delete(resolve)
      reject(refuse(`${name} waited too long for their turn`, signal?.reason))
    }
    waiting.add(resolve)
    const timer = timeout && setTimeout(giveUp, timeout)
    if (signal?.aborted) giveUp()
    signal?.addEventListener('abort', giveUp)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** The place goes to the next in line; no newcomer can take it in between. */
  function leave () {
    const [next] = waiting
    if (!next) return running--
    waiting.delete(next)
    next()
  }

  return {
    get running () { return running },
    get waiting () { return waiting.size },

    /** Throws Overloaded where the queue is full, or where the signal aborts before the turn has come. */
    async run<T> (work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const asked = performance.now()
      if (running < maxRunning) running++
      else await waitForTurn(signal)
      onStart?.((performance.now() - asked) / 1_000)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
