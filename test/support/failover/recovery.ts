import type { Test } from 'tap'
import { eventually } from '../patience.ts'

/** The promise of docs/reliability.md, in milliseconds from the promotion to the first write of each instance. */
const MAX_RECOVERY = 10_000

/** Call it directly after the promotion. `write` returns the status of a request that writes. */
export async function checkRecovery (
  t: Test,
  services: Array<{ port: number }>,
  write: (port: number) => Promise<number | undefined>
) {
  const promotedAt = performance.now()
  const times = await Promise.all(services.map(async ({ port }) => {
    await eventually(() => write(port), status => status === 200)
    return Math.round(performance.now() - promotedAt)
  }))
  t.ok(Math.max(...times) <= MAX_RECOVERY, `first writes ${times.join(' and ')} ms after the promotion`)
}
