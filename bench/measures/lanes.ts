import type { Bench } from '../bench.ts'
import { BROWSERS, NO_LIMITS, startGatehouse, type Contender } from '../contenders/contenders.ts'
import { FLOOD, flood } from '../workloads/flood.ts'
import type { Outcome } from '../load/job.ts'
import type { Bound, Result } from '../figures/results.ts'
import { ratio, spread } from '../figures/rounds.ts'
import { signIns } from '../workloads/sign-ins.ts'

const COST = 10
/** More than the service accepts at once, so that no request waits for a connection. */
const CLIENTS = 96
/** Of what the service without lanes can serve. */
const LOADS = [0.5, 1, 2]

type Variant = 'with lanes' | 'without lanes'
type Series = { unit: string, bound?: Bound } & Record<Variant, number[]>

/** Latency and overload, compared with the same service that checks one password at a time on each core. */
export async function measureLanes (bench: Bench): Promise<Result[]> {
  const { quick, rounds } = bench.options
  const [seconds, times] = quick ? [4, 1] : [12, Math.min(rounds, 3)]
  const start = (settings: object) => bench.start(startGatehouse(bench.stage, bench.service.program, COST, settings))
  const services: Array<[Variant, Contender]> = [
    ['with lanes', await start(NO_LIMITS)],
    ['without lanes', await start({ ...NO_LIMITS, HASHING_LANES: '1' })],
  ]
  const measured = new Map<string, Series>()

  function add (what: string, unit: string, variant: Variant, value: number, bound?: Bound) {
    const series = measured.get(what) ?? { unit, bound, 'with lanes': [], 'without lanes': [] }
    measured.set(what, series)
    series[variant].push(value)
  }

  bench.progress('warm-up')
  const warmUp = { connections: BROWSERS, seconds }
  for (const [, service] of services) await signIns(service, bench.load, warmUp)
  const [, withoutLanes] = services[1] as [Variant, Contender]
  const { rate: capacity } = await signIns(withoutLanes, bench.load, warmUp)

  for (let round = 1; round <= times; round++) {
    for (const [variant, service] of services) {
      bench.progress(`round ${round} of ${times}: ${variant}, idle`)
      const { p50 } = await signIns(service, bench.load, { connections: 1, seconds })
      add('one login at a time, p50', 'ms', variant, p50, { atMost: 1.05 })
    }
    for (const load of LOADS) {
      const name = `${load * 100} % of the capacity without lanes`
      for (const [variant, service] of services) {
        bench.progress(`round ${round} of ${times}: ${variant}, ${name}`)
        const rush = { connections: CLIENTS, seconds, rate: load * capacity }
        const { p50, p99, rate, statuses } = await signIns(service, bench.load, rush)
        add(`${name}, p50`, 'ms', variant, p50)
        add(`${name}, p99`, 'ms', variant, p99)
        add(`${name}, served`, '/s', variant, rate)
        add(`${name}, refused`, '', variant, statuses[503] ?? 0)
      }
    }
    for (const [variant, service] of services) {
      bench.progress(`round ${round} of ${times}: ${variant}, a flood`)
      const { statuses }: Outcome = await flood(service, bench.load)
      add(`${FLOOD} logins at the same moment, served`, '', variant, statuses[200] ?? 0)
    }
  }

  const all = [...measured]
  return [
    {
      id: 'lanes',
      title: `Up to four passwords at once on each core, and one, bcrypt cost ${COST}`,
      ratios: all
        .filter(([what]) => !what.endsWith('refused'))
        .map(([what, { bound, ...series }]) =>
          ratio(`${what}: with lanes ÷ without`, series['with lanes'], series['without lanes'], bound)),
      figures: all.flatMap(([what, { unit, ...series }]) => services.map(([variant]) =>
        ({ label: `${what}, ${variant}`, unit, ...spread(series[variant]) }))),
    },
  ]
}
