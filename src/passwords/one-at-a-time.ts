import { createQueue } from './bounded-queue.ts'

type Queue = ReturnType<typeof createQueue>

interface Options {
  /** What waits, for the log. */
  name: string
  maxWaiting: number
  /** Milliseconds after which one that still waits is refused. */
  timeout: number
}

/** Runs the work of one key one after another, so that no key takes more than one place of the queue behind it. */
export function createOneAtATime (options: Options) {
  const queues = new Map<string, Queue>()

  return async function run<T> (key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const queue = queues.get(key) ?? createQueue({ ...options, maxRunning: 1 })
    queues.set(key, queue)
    try {
      return await queue.run(work, signal)
    } finally {
      if (queue.running === 0 && queue.waiting === 0) queues.delete(key)
    }
  }
}
