import { Unavailable } from '../errors.ts'

interface Options {
  maxRunning: number
  maxWaiting: number
  /** A task that waits longer than this many milliseconds is refused. */
  timeout?: number
  /** Called when a task starts, with the seconds that it waited. */
  onStart? (waited: number): void
  /** Called when a task is refused. */
  onRefusal? (): void
}

/** Runs a limited number of tasks at once, queues a limited number, and refuses further ones at once. */
export function createQueue ({ maxRunning, maxWaiting, timeout, onStart, onRefusal }: Options) {
  const waiting: Array<() => void> = []
  let running = 0

  function waitForSlot (): Promise<void> {
    if (waiting.length >= maxWaiting) {
      onRefusal?.()
      throw new Unavailable(new Error(`the queue is full: ${waiting.length} tasks are waiting`))
    }
    return new Promise((resolve, reject) => {
      const timer = timeout && setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1)
        onRefusal?.()
        reject(new Unavailable(new Error(`the task waited longer than ${timeout} ms`)))
      }, timeout)
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      waiting.push(begin)
    })
  }

  /** Hands the slot directly to the next task, so that a new one cannot take it. */
  function release () {
    const begin = waiting.shift()
    if (begin) begin()
    else running--
  }

  return {
    get running () { return running },
    get waiting () { return waiting.length },

    async run<T> (work: () => Promise<T>): Promise<T> {
      const queuedAt = performance.now()
      if (running < maxRunning) running++
      else await waitForSlot()
      onStart?.((performance.now() - queuedAt) / 1_000)
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
