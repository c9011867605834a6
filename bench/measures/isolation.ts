import type { Bench } from '../bench.ts'
import { BROWSERS, startGatehouse } from '../contenders/contenders.ts'
import { flood, judgeFlood } from '../workloads/flood.ts'
import { startGenerator } from '../load/generator.ts'
import type { Outcome } from '../load/job.ts'
import type { Result } from '../figures/results.ts'
import { ratio, spread } from '../figures/rounds.ts'
import { signIns } from '../workloads/sign-ins.ts'
import { accessTokens } from '../data/tokens.ts'

/** Far below the limit of the service, because the latency is measured and not the throughput. */
const PROBES_PER_SECOND = 500
const PROBERS = 16

type Times = Record<'p50' | 'p99', number[]>
const times = (): Times => ({ p50: [], p99: [] })

/** The latency of other requests while logins use every core. */
export async function measureIsolation (bench: Bench): Promise<Result[]> {
  const {
    options: { quick, rounds },
  } = bench
  const gatehouse = await bench.start(startGatehouse(bench.stage, bench.service.program, 10))
  const probe = startGenerator(bench.onEnd, { atOnce: true })
  const cookies = accessTokens(PROBERS).map(token => ({ access_token: token }))
  const seconds = quick ? 2 : 4

  const PATHS = { check: '/api/auth/verify', health: '/health' }
  const measured = { check: { idle: times(), saturated: times() }, health: { idle: times(), saturated: times() } }
  const logins: number[] = []

  async function probeAll (state: 'idle' | 'saturated') {
    for (const kind of ['check', 'health'] as const) {
      const { p50, p99 } = await probe({
        port: gatehouse.port,
        method: 'GET',
        path: PATHS[kind],
        cookies,
        connections: PROBERS,
        seconds,
        rate: PROBES_PER_SECOND,
      })
      measured[kind][state].p50.push(p50)
      measured[kind][state].p99.push(p99)
    }
  }

  const signInFor = (seconds: number): Promise<Outcome> =>
    signIns(gatehouse, bench.load, { connections: BROWSERS, seconds })
  bench.progress('warm-up')
  await Promise.all([signInFor(2), probe({ ...gatehouse.check, cookies, connections: PROBERS, seconds: 2 })])
  const worthIt = Math.min(rounds, 3)
  for (let round = 1; round <= worthIt; round++) {
    bench.progress(`round ${round} of ${worthIt}: idle`)
    await probeAll('idle')
    bench.progress(`round ${round} of ${worthIt}: while logins saturate every core`)
    // One second longer on either side, so that the probes never run on an idle machine.
    const [outcome] = await Promise.all([signInFor(seconds * 2 + 1), probeAll('saturated')])
    logins.push(outcome.rate)
  }

  bench.progress('a flood of logins')
  const flooded = judgeFlood(await flood(gatehouse, bench.load))
  const { check, health } = measured
  return [
    {
      id: 'isolation',
      title: 'Isolation: access checks and /health while logins saturate every core',
      ratios: [
        ratio('access check p99: saturated ÷ idle', check.saturated.p99, check.idle.p99, { atMost: 3 }),
        ratio('access check p50: saturated ÷ idle', check.saturated.p50, check.idle.p50),
        ratio('health p99: saturated ÷ idle', health.saturated.p99, health.idle.p99),
        ratio('health p50: saturated ÷ idle', health.saturated.p50, health.idle.p50),
        flooded.ratio,
      ],
      figures: [
        ...Object.entries(measured).flatMap(([kind, states]) =>
          Object.entries(states).flatMap(([state, both]) =>
            Object.entries(both).map(([which, values]) => ({
              label: `${kind} ${which}, ${state}`,
              unit: 'ms',
              ...spread(values),
            }))
          )
        ),
        { label: 'logins meanwhile', unit: '/s', ...spread(logins) },
      ],
      notes: [flooded.note],
    },
  ]
}
