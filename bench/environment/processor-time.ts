import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Clock ticks a second on Linux, on every common architecture. */
const TICK = 0.01

/** Seconds of processor time that a process has used, optionally with its ended children. */
export function processorTimeOf (pid: number, withEnded = false): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.split(' ').slice(11, 15).map(Number)
  return (user + system + (withEnded ? endedUser + endedSystem : 0)) * TICK
}

/** The same of a process and all its children, also the ended ones. */
export function processorTimeOfFamily (pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return children.reduce((sum, child) => sum + timeOrNothing(child), processorTimeOf(pid, true))
}

function timeOrNothing (pid: number): number {
  try {
    return processorTimeOf(pid)
  } catch {
    return 0
  }
}

/** The share of all cores that is used during the next second. */
export async function busyShare (): Promise<number> {
  const before = machineTimes()
  await sleep(1_000)
  const after = machineTimes()
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

function machineTimes () {
  const times =
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? []
  const [, , , idle = 0, waiting = 0] = times
  return { idle: idle + waiting, all: times.reduce((sum, time) => sum + time, 0) }
}
