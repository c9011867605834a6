import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BROWSERS, startBetterAuth, startGatehouse, startPassport, type Contender } from '../contenders.ts'
import type { Run } from '../run.ts'
import type { Result } from '../results.ts'
import { alternate, ratio, spread } from '../rounds.ts'

const run = promisify(execFile)

/** Sign-ins a second of a contender, and of bare bcrypt, which none can pass. */
export async function measureLogins (bench: Run, cost: number, rounds: number, seconds: number): Promise<Result> {
  const gatehouse = await bench.start(startGatehouse(bench.stage, bench.service.program, cost))
  const betterAuth = await bench.start(startBetterAuth(bench.stage, cost))
  const passport = await bench.start(startPassport(bench.stage, cost))

  async function signIns ({ signIn }: Contender): Promise<number> {
    const { rate, statuses } = await bench.load({ ...signIn, connections: BROWSERS, seconds })
    if (Object.keys(statuses).some(status => status !== '200')) throw new Error(`logins were refused: ${JSON.stringify(statuses)}`)
    return rate
  }

  const rates = await alternate(rounds, {
    ceiling: () => hashingCeiling(cost, seconds),
    gatehouse: () => signIns(gatehouse),
    betterAuth: () => signIns(betterAuth),
    passport: () => signIns(passport),
  }, bench.progress)

  // The default cost is what the targets are about.
  return {
    id: `logins-${cost}`,
    title: `Logins, bcrypt cost ${cost}`,
    ratios: [
      ratio('logins ÷ raw bcrypt ceiling', rates.gatehouse, rates.ceiling, { atLeast: 0.95 }),
      ratio('logins ÷ better-auth, same bcrypt cost', rates.gatehouse, rates.betterAuth, { atLeast: 1.5 }),
      ratio('logins ÷ express and passport, same bcrypt cost', rates.gatehouse, rates.passport),
    ],
    figures: [
      { label: 'bare bcrypt', unit: '/s', ...spread(rates.ceiling) },
      { label: 'Gatehouse', unit: '/s', ...spread(rates.gatehouse) },
      { label: 'better-auth', unit: '/s', ...spread(rates.betterAuth) },
      { label: 'express + passport', unit: '/s', ...spread(rates.passport) },
    ],
  }
}

async function hashingCeiling (cost: number, seconds: number): Promise<number> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, '../programs/ceiling.ts'), String(cost), String(seconds)],
    { env: { ...process.env, UV_THREADPOOL_SIZE: String(availableParallelism()) } })
  return Number(stdout)
}
