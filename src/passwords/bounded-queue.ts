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

type Start = () => void

/** Runs at most `maxRunning` tasks at once and lets `maxWaiting` wait. Further tasks are refused immediately. */
export function createQueue ({ name, maxRunning, maxWaiting, timeout, onStart, onRefusal }: Options) {
  const waiting = new Set<Start>()
  let running = 0

  function refuse (reason: string, cause?: unknown): Overloaded {
    onRefusal?.()
    return new Overloaded(reason, cause)
  }

  /** Returns how to stop waiting. */
  function wait (start: Start, giveUp: (reason: Overloaded) => void, signal?: AbortSignal) {
    function leave () {
      waiting.delete(start)
      clearTimeout(timer)
      signal?.removeEventListener('abort', expire)
    }
    function expire () {
      leave()
      giveUp(refuse(`${name} waited too long for their turn`, signal?.reason))
    }
    waiting.add(start)
    const timer = timeout && setTimeout(expire, timeout)
    signal?.addEventListener('abort', expire)
    if (signal?.aborted) expire()
    return leave
  }

  async function runNow<T> (work: () => Promise<T>): Promise<T> {
    running++
    try {
      return await work()
    } finally {
      running--
      // The place goes to the next in line; no newcomer can take it in between.
      const [next] = waiting
      next?.()
    }
  }

  return {
    get running () { return running },
    get waiting () { return waiting.size },

    /** Throws Overloaded where the queue is full, or where the signal aborts before the turn has come. */
    async run<T> (work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const asked = performance.now()
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      let leave = () => {}
      function start () {
        leave()
        onStart?.((performance.now() - asked) / 1_000)
        resolve(runNow(work))
      }
      if (running < maxRunning) start()
      else if (waiting.size >= maxWaiting) throw refuse(`the queue of ${name} is full`)
      else leave = wait(start, reject, signal)
      return promise
    },
  }
}
