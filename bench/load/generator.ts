import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Job, Outcome } from './job.ts'

export type Load = (job: Job) => Promise<Outcome>

/** A process of its own that runs one job after another, so that it is as warm for the last as for the first. It ends with us. */
export function startGenerator (onEnd: (end: () => unknown) => void): Load {
  const child = fork(join(import.meta.dirname, 'process.ts'))
  onEnd(() => child.disconnect())
  let last: Promise<unknown> = Promise.resolve()

  return function load (job) {
    const outcome = last.then(async () => {
      child.send(job)
      const [answer] = await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(() => { throw new Error('the load generator ended') }),
      ])
      return answer as Outcome
    })
    last = outcome.catch(() => {})
    return outcome
  }
}
