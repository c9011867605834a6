import { fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { processorTimeOf } from '../environment/processor-time.ts'
import type { Job, Outcome } from './job.ts'

export interface Load {
  (job: Job): Promise<Outcome>
  /** Seconds of processor time used so far. */
  processorTime (): number
}

/** A separate process that runs the jobs one after the other, so that it is warm for all of them. */
export function startGenerator (onEnd: (end: () => unknown) => void, { atOnce = false } = {}): Load {
  const child = fork(join(import.meta.dirname, 'process.ts'))
  if (atOnce) goFirst(child.pid as number)
  let current: PromiseWithResolvers<Outcome> | undefined
  let last: Promise<unknown> = Promise.resolve()
  onEnd(() => child.connected && child.disconnect())
  child.on('message', outcome => current?.resolve(outcome as Outcome))
  child.on('exit', () => current?.reject(new Error('the load generator ended')))

  function load (job: Job): Promise<Outcome> {
    const outcome = last.then(() => {
      current = Promise.withResolvers<Outcome>()
      child.send(job)
      return current.promise
    })
    last = outcome.catch(() => {})
    return outcome
  }
  return Object.assign(load, { processorTime: () => processorTimeOf(child.pid as number) })
}

/** For a client that stands for clients on other machines: its own wait for a core must not be measured. */
function goFirst (pid: number) {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGH)
  } catch {
    console.warn('Not allowed to raise the priority of the probe: its own waits are measured too.')
  }
}
