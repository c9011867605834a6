import { fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Job, Outcome } from './job.ts'

export type Load = (job: Job) => Promise<Outcome>

/** A process of its own that runs one job after another, so that it is as warm for the last as for the first. It ends with us. */
export function startGenerator (onEnd: (end: () => unknown) => void, { atOnce = false } = {}): Load {
  const child = fork(join(import.meta.dirname, 'process.ts'))
  if (atOnce) goFirst(child.pid as number)
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

/** For a client that stands for others on machines of their own: how long it waits for a core here is not what we ask. */
function goFirst (pid: number) {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGH)
  } catch {
    console.warn('Not allowed to give the probe a higher priority: its own waits will count.')
  }
}
