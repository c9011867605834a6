import { readFileSync } from 'node:fs'

/** Of a second: what Linux counts in, on every architecture that we meet. */
const TICK = 0.01

/** Seconds of processor time that a process has used; with its ended children, where asked for. */
export function processorTimeOf (pid: number, withEnded = false): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.split(' ').slice(11, 15).map(Number)
  return (user + system + (withEnded ? endedUser + endedSystem : 0)) * TICK
}

/** Of a process and its children, also those that have ended. */
export function processorTimeOfFamily (pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  return children.reduce((sum, child) => sum + timeOrNothing(child), processorTimeOf(pid, true))
}

function timeOrNothing (pid: number): number {
  try {
    return processorTimeOf(pid)
  } catch {
    return 0
  }
}
