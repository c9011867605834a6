import { createQueue } from './bounded-queue.ts'

type Queue = ReturnType<typeof createQueue>

const MAX_WAITING = 32

/** Runs the work of one client one after another, so that no client takes more than one place of those behind it. */
export function createOneAtATime (name: string, timeout: number) {
  const queues = new Map<string, Queue>()

  return async function run<T> (client: string, work: () => Promise<T>): Promise<T> {
    const queue = queues.get(client) ?? createQueue({ name, maxRunning: 1, maxWaiting: MAX_WAITING, timeout })
    queues.set(client, queue)
    try {
      return await queue.run(work)
    } finally {
      if (queue.running === 0 && queue.waiting === 0) queues.delete(client)
    }
  }
}
