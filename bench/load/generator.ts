import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Job, Outcome } from './job.ts'

export type Load = (job: Job) => Promise<Outcome>

/** A process of its own that runs one job after another, so that it is as warm for the last as for the first. It ends with us. */
export function startGenerator (onEnd: (end: () => unknown) => void): Load {
  const child = fork(join(import.meta.dirname, 'process.ts'))
  let current: PromiseWithResolvers<Outcome> | undefined
  let last: Promise<unknown> = Promise.resolve()
  onEnd(() => child.connected && child.disconnect())
  child.on('message', outcome => current?.resolve(outcome as Outcome))
  child.on('exit', () => current?.reject(new Error('the load generator ended')))

  return function load (job) {
    const outcome = last.then(() => {
      current = Promise.withResolvers<Outcome>()
      child.send(job)
      return current.promise
    })
    last = outcome.catch(() => {})
    return outcome
  }
}
