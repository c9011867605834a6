import type { Bench } from '../bench.ts'
import { DEFAULT_LIMITS, startGatehouse, type Contender } from '../contenders/contenders.ts'
import type { Result } from '../figures/results.ts'
import { alternate, judged, ratio, spread } from '../figures/rounds.ts'

const EMPLOYEES = 40

/** Users behind one address who sign in at the same moment: five may be undecided, the others wait for their turn. */
export async function measureOffice (bench: Bench): Promise<Result[]> {
  const { load, stage, service, options: { rounds } } = bench
  const limited = await bench.start(startGatehouse(stage, service.program, 10, DEFAULT_LIMITS))
  const unlimited = await bench.start(startGatehouse(stage, service.program, 10))
  const refused: number[] = []

  async function signInAtOnce (contender: Contender): Promise<number> {
    const { signIn } = contender
    const { statuses, slowest } = await load({ ...signIn, keep: undefined, connections: EMPLOYEES, seconds: 0 })
    const served = statuses[200] ?? 0
    // Without limits, all come to the hashing queue at once, which refuses some of them.
    if (contender === limited) refused.push(EMPLOYEES - served)
    return served * 1_000 / slowest
  }

  const rates = await alternate(
    { rounds },
    {
      'with the default limits': () => signInAtOnce(limited),
      'without limits': () => signInAtOnce(unlimited),
    },
    bench.progress
  )
  return [
    {
      id: 'office',
      title: `${EMPLOYEES} users behind one address sign in at the same moment, bcrypt cost 10`,
      ratios: [
        ratio(
          'logins from one address ÷ the same without limits',
          rates['with the default limits'],
          rates['without limits'],
          { atLeast: 0.9 }
        ),
        judged('logins from one address: right passwords refused', refused, { atMost: 0 }),
      ],
      figures: Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
    },
  ]
}
