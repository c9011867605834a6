// What the test files of one process share: the runner loads this module once, and every other module of test/ anew
// for each file.
import { randomBytes } from 'node:crypto'
import root from 'tap'

export const JWT_SECRET = randomBytes(64).toString('base64url')

const numbers = new Map<string, number>()

/** A number that no other test of the process gets under this name, counted from 1. */
export function nextNumber (name: string): number {
  const next = (numbers.get(name) ?? 0) + 1
  numbers.set(name, next)
  return next
}

const started = new Map<string, Promise<unknown>>()
const ends: Array<() => unknown> = []
let isRunner = false

/** Starts it for the first file that asks. Later ones get the same, unless the start failed. */
export function shared<T> (key: string, start: () => Promise<T>): Promise<T> {
  const found = started.get(key)
  if (found) return found as Promise<T>
  const starting = start()
  started.set(key, starting)
  starting.catch(() => started.delete(key))
  return starting
}

/** What was started last ends first, after the last file of the process. */
export function onProcessEnd (end: () => unknown) {
  if (ends.length === 0 && !isRunner) root.teardown(endShared)
  ends.unshift(end)
}

export async function endShared () {
  for (const end of ends.splice(0)) await end()
}

/** The runner ends what is shared: no file does. */
export function endAfterLastFile () {
  isRunner = true
}
