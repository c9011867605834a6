import { Unavailable } from '../errors.ts'

interface Bounds {
  maxRunning: number
  maxWaiting: number
  /** Milliseconds after which one that still waits is refused. */
  timeout?: number
  /** Told, of each that gets its turn, the seconds that it waited. */
  onTurn? (waited: number): void
  /** Told of each that is refused. */
  onRefusal? (): void
}

/** Runs so many at once, lets so many wait, and refuses the rest on the spot: work that piles up helps nobody. */
export function createQueue ({ maxRunning, maxWaiting, timeout, onTurn, onRefusal }: Bounds) {
  const waiting: Array<() => void> = []
  let running = 0

  function waitForTurn (): Promise<void> {
    if (waiting.length >= maxWaiting) {
      onRefusal?.()
      throw new Unavailable(new Error(`the queue is full: ${waiting.length} wait`))
    }
    return new Promise((resolve, reject) => {
      const giveUp = timeout && setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1)
        onRefusal?.()
        reject(new Unavailable(new Error(`no turn within ${timeout} ms`)))
      }, timeout)
      const begin = () => {
        clearTimeout(giveUp)
        resolve()
      }
      waiting.push(begin)
    })
  }

  /** The place goes to the next in line; nobody who comes in between can take it. */
  function leave () {
    const begin = waiting.shift()
    if (begin) begin()
    else running--
  }

  return {
    get running () { return running },
    get waiting () { return waiting.length },

    async run<T> (work: () => Promise<T>): Promise<T> {
      const asked = performance.now()
      if (running < maxRunning) running++
      else await waitForTurn()
      onTurn?.((performance.now() - asked) / 1_000)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
