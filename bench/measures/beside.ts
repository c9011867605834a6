import { once } from 'node:events'
import type { Bench } from '../bench.ts'
import { bareRate } from '../contenders/bare-hashing.ts'
import { BROWSERS, startGatehouse } from '../contenders/contenders.ts'
import { accessTokens } from '../data/tokens.ts'
import type { Result } from '../figures/results.ts'
import { alternate, ratio, spread } from '../figures/rounds.ts'
import { startGenerator } from '../load/generator.ts'
import { signIns } from '../workloads/sign-ins.ts'
import { spawnTethered } from '../../demo/tethered.ts'

const COST = 10
/** Far below the limit of the service, because the latency is measured and not the throughput. */
const CHECKS_PER_SECOND = 500
const CHECKERS = 16

/** Logins and access checks at the same time, beside a process that keeps one core busy. */
export async function measureBeside (bench: Bench): Promise<Result[]> {
  const { options: { quick, rounds }, load, stage } = bench
  const seconds = quick ? 3 : 8
  const gatehouse = await bench.start(startGatehouse(stage, bench.service.program, COST))
  const probe = startGenerator(bench.onEnd, { atOnce: true })
  const cookies = accessTokens(CHECKERS).map(token => ({ access_token: token }))
  const checks: Record<string, number[]> = { alone: [], beside: [] }

  async function logins (kind: 'alone' | 'beside'): Promise<number> {
    const [{ rate }, { p99 }] = await Promise.all([
      signIns(gatehouse, load, { connections: BROWSERS, seconds }),
      probe({ ...gatehouse.check, cookies, connections: CHECKERS, seconds: seconds - 1, rate: CHECKS_PER_SECOND }),
    ])
    checks[kind]?.push(p99)
    return rate
  }

  async function beside (work: () => Promise<number>): Promise<number> {
    const busy = spawnTethered([process.execPath, '-e', 'for (;;);'], 'KILL')
    const ended = once(busy, 'exit')
    try {
      return await work()
    } finally {
      busy.kill('SIGKILL')
      await ended
    }
  }

  const warmUp = 1
  const rates = await alternate({ warmUp, rounds: Math.min(rounds, 3) }, {
    'bare bcrypt': () => bareRate('bcrypt', COST, seconds),
    'bare bcrypt, beside a busy process': () => beside(() => bareRate('bcrypt', COST, seconds)),
    Gatehouse: () => logins('alone'),
    'Gatehouse, beside a busy process': () => beside(() => logins('beside')),
  }, bench.progress)
  const [alone, besides] = [checks.alone, checks.beside].map(values => (values ?? []).slice(warmUp)) as
    [number[], number[]]

  return [{
    id: 'beside',
    title: `Logins and access checks beside a process that keeps one core busy, bcrypt cost ${COST}`,
    ratios: [
      ratio('logins ÷ bare bcrypt, nothing beside', rates.Gatehouse, rates['bare bcrypt']),
      ratio('logins ÷ bare bcrypt, both beside a busy process',
        rates['Gatehouse, beside a busy process'], rates['bare bcrypt, beside a busy process']),
      ratio('logins beside a busy process ÷ logins', rates['Gatehouse, beside a busy process'], rates.Gatehouse),
      ratio('access check p99 during logins, beside a busy process ÷ without', besides, alone),
    ],
    figures: [
      ...Object.entries(rates).map(([label, values]) => ({ label, unit: '/s', ...spread(values) })),
      { label: 'access check p99 during logins', unit: 'ms', ...spread(alone) },
      { label: 'access check p99 during logins, beside a busy process', unit: 'ms', ...spread(besides) },
    ],
  }]
}
