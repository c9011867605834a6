import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../errors.ts'

/** SQLSTATE codes for a server that is down, full, read-only, too slow or not migrated; not for wrong queries. */
const SQLSTATE = /^(08...|53...|57014|57P0[1-5]|25006|55P03|40001|40P01|42P01|42703)$/
const NETWORK = /^(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|ETIMEDOUT|EPIPE|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/
/** pg throws these errors without a code. */
const MESSAGE = new RegExp([
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Query read timeout',
  'timeout expired',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end',
].join('|'))

export function isOutage (error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? SQLSTATE.test(code) || NETWORK.test(code) : MESSAGE.test(error.message)
}

/** Shorter than a reverse proxy waits for an access check. */
export const READ_TIMEOUT = 1_000

/** Throws Unavailable if PostgreSQL takes longer than READ_TIMEOUT. */
export async function inTime<T> (reading: Promise<T>): Promise<T> {
  const late = sleep(READ_TIMEOUT, undefined, { ref: false })
    // Timers come first after a busy event loop: the response may have arrived meanwhile.
    .then(() => setImmediate())
    .then(() => { throw new Unavailable(new Error('PostgreSQL did not respond in time')) })
  return Promise.race([reading, late])
}
