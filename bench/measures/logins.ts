import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { bareRate } from '../contenders/bare-hashing.ts'
import { BROWSERS, startBetterAuth, startGatehouse, startPassport, type Contender } from '../contenders/contenders.ts'
import { createCosts } from '../figures/costs.ts'
import type { Outcome } from '../load/job.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'
import { successfulSignIns } from '../workloads/sign-ins.ts'

const LANES = join(import.meta.dirname, '../../native/lanes.node')
/** Of bare bcrypt. A compiler leaves its name in what it builds, and what clang builds is faster. */
const goal = () => ({ atLeast: existsSync(LANES) && readFileSync(LANES).includes('clang version') ? 1.9 : 1.7 })

export async function measureLogins (bench: Bench): Promise<Result[]> {
  const { quick, rounds } = bench.options
  if (quick) return [await measureAtCost(bench, 10, { warmUp: 20, rounds, seconds: 4 })]
  return [
    await measureAtCost(bench, 12, { warmUp: 120, rounds: 12, seconds: 6 }),
    await measureAtCost(bench, 10, { warmUp: 120, rounds: 20, seconds: 3 }),
  ]
}

/**
 * Logins a second of each contender, and of plain bcrypt, which checks one password at a time on each core.
 * `warmUp`: seconds for each service. V8 compiles what a login executes only after some thousand logins: of the first
 * ones, the event loop takes twice as long.
 */
async function measureAtCost (
  bench: Bench,
  cost: number,
  { warmUp, rounds, seconds }: { warmUp: number, rounds: number, seconds: number }
): Promise<Result> {
  const signIns = (contender: Contender): Promise<Outcome> =>
    successfulSignIns(contender, bench.load, { connections: BROWSERS, seconds })

  async function startWarm (starting: Promise<Contender>) {
    const contender = await bench.start(starting)
    bench.progress(`warm-up: ${contender.database}`)
    await successfulSignIns(contender, bench.load, { connections: BROWSERS, seconds: warmUp })
    return contender
  }

  // In turn with nothing else: the speed of the machine changes within seconds, and after ten idle seconds the service
  // would begin each round with new connections to PostgreSQL. The peers start later.
  const gatehouse = await startWarm(startGatehouse(bench.stage, bench.service.program, cost))
  const behind = createCosts(bench.stage, { Gatehouse: gatehouse.processorTime, 'the load': bench.load.processorTime })
  const atLimit = await alternate(
    { rounds: 2 * rounds },
    {
      'bare lanes': () => bareRate('lanes', cost, seconds),
      Gatehouse: async () => (await behind.during(() => signIns(gatehouse))).rate,
    },
    bench.progress
  )

  const betterAuth = await startWarm(startBetterAuth(bench.stage, cost))
  const passport = await startWarm(startPassport(bench.stage, cost))
  const rates = await alternate(
    { rounds },
    {
      'bare bcrypt': () => bareRate('bcrypt', cost, seconds),
      Gatehouse: async () => (await signIns(gatehouse)).rate,
      'Gatehouse, unknown browsers': async () => (await signIns(fromUnknownBrowsers(gatehouse))).rate,
      'better-auth': async () => (await signIns(betterAuth)).rate,
      'express + passport': async () => (await signIns(passport)).rate,
    },
    bench.progress
  )
  // The next cost is measured alone, too.
  for (const contender of [gatehouse, betterAuth, passport]) await contender.stop()

  return {
    id: `logins-cost-${cost}`,
    title: `Logins, bcrypt cost ${cost}`,
    ratios: [
      ratio('logins ÷ bare bcrypt on all cores', rates.Gatehouse, rates['bare bcrypt'], goal()),
      ratio('logins ÷ our lanes alone on all cores', atLimit.Gatehouse, atLimit['bare lanes'], { atLeast: 0.9 }),
      ratio('logins from unknown browsers ÷ bare bcrypt on all cores',
        rates['Gatehouse, unknown browsers'], rates['bare bcrypt']),
      ratio('logins ÷ better-auth, same bcrypt cost', rates.Gatehouse, rates['better-auth'], { atLeast: 1.5 }),
      ratio('logins ÷ express + passport, same bcrypt cost', rates.Gatehouse, rates['express + passport']),
    ],
    figures: [
      { label: 'bare lanes', unit: '/s', ...spread(atLimit['bare lanes']) },
      ...Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
      ...behind.figures('a login'),
    ],
  }
}

/** Each login comes from a browser without cookies, so that its owner is told of it. */
const fromUnknownBrowsers = ({ signIn, ...contender }: Contender): Contender =>
  ({ ...contender, database: `${contender.database}, unknown browsers`, signIn: { ...signIn, keep: undefined } })
