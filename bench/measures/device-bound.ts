import type { Bench } from '../bench.ts'
import { NO_LIMITS, startGatehouse } from '../contenders/contenders.ts'
import { fillSessions } from '../data/sessions.ts'
import { JWT_SECRET } from '../data/tokens.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'
import { createRefresher } from '../workloads/refreshes.ts'

const CONCURRENCY = 10
/** As for refreshes. */
const WARM_UP = 6
/** In place of the thumbprint of a key: what is measured is the refresh that comes with a proof. */
const KEY = 'k'.repeat(43)

/** Refreshes a second, of sessions that are bound to a device and of others, at the same service. */
export async function measureDeviceBound (bench: Bench): Promise<Result[]> {
  const { load, options: { rounds, seconds }, stage } = bench
  const settings = { ...NO_LIMITS, DEVICE_BOUND_SESSIONS: 'on' }
  const { database, port } = await bench.start(startGatehouse(stage, bench.service.program, 10, settings))
  const sessions = { users: 1_000, sessions: CONCURRENCY, sample: CONCURRENCY }
  const bound = await fillSessions(stage, database, { ...sessions, deviceKey: KEY })
  const others = await fillSessions(stage, database, sessions)
  const prove = { secret: JWT_SECRET, key: KEY }
  const contenders = {
    'not bound': createRefresher(load, port, others, seconds),
    'bound to a device': createRefresher(load, port, bound, seconds, prove),
  }
  const rates = await alternate(
    { warmUp: WARM_UP, rounds },
    {
      'not bound': async () => (await contenders['not bound']()).rate,
      'bound to a device': async () => (await contenders['bound to a device']()).rate,
    },
    bench.progress
  )
  return [{
    id: 'device-bound',
    title: 'Refresh of a session that is bound to a device',
    ratios: [ratio('bound ÷ not bound', rates['bound to a device'], rates['not bound'], { atLeast: 0.9 })],
    figures: Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
  }]
}
