import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../errors.ts'

/** Shorter than a reverse proxy waits for an access check. */
export const READ_TIMEOUT = 1_000

/** Throws Unavailable if PostgreSQL takes longer than READ_TIMEOUT. */
export async function inTime<T> (reading: Promise<T>): Promise<T> {
  const late = sleep(READ_TIMEOUT, undefined, { ref: false })
    .then(() => { throw new Unavailable(new Error('PostgreSQL did not respond in time')) })
  return Promise.race([reading, late])
}
