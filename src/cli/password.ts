import { availableParallelism } from 'node:os'
import bcrypt from 'bcrypt'
import { Settings } from '../config.ts'
import { chooseAction, takeNames, UsageError, type Arguments, type Command, type Outcome } from './command.ts'

const { minimum: LEAST = 10, maximum: MOST = 15 } = Settings.properties.BCRYPT_COST
const DEFAULT_TARGET = 250
const SAMPLES = 3

const HELP = `Usage: gatehouse password calibrate [--target MILLISECONDS] [--json]

Measures how long this machine takes to hash a password, and picks the highest BCRYPT_COST
(${LEAST} to ${MOST}) that stays within the target, ${DEFAULT_TARGET} ms where none is given. Each step up doubles the
time: for who signs in, and for who guesses. Run it where the service runs, while little else does.

Examples
  gatehouse password calibrate
  gatehouse password calibrate --target 500
  gatehouse password calibrate --json
`

/** The fastest of a few: whatever disturbs a measurement makes it longer. */
async function measure (cost: number): Promise<number> {
  let fastest = Infinity
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = performance.now()
    await bcrypt.hash('correct-Horse-42-staple', cost)
    fastest = Math.min(fastest, performance.now() - start)
  }
  return fastest
}

/** Stops at the first that takes too long, so that it is over soon. */
async function measureUpTo (target: number): Promise<Array<{ cost: number, ms: number }>> {
  const measured = []
  for (let cost = LEAST; cost <= MOST; cost++) {
    const ms = await measure(cost)
    measured.push({ cost, ms: Math.round(ms) })
    if (ms > target) break
  }
  return measured
}

async function calibrate ({ positionals, values }: Arguments): Promise<Outcome> {
  takeNames(positionals)
  const target = Number(values.target ?? DEFAULT_TARGET)
  if (!(target >= 1 && target <= 10_000)) throw new UsageError('--target takes milliseconds, from 1 to 10000.')

  const measured = await measureUpTo(target)
  const picked = measured.findLast(({ ms }) => ms <= target) ?? { cost: LEAST, ms: measured[0]?.ms ?? 0 }
  const loginsPerSecond = Math.round(availableParallelism() * 10_000 / picked.ms) / 10
  const lines = [
    ...measured.map(({ cost, ms }) => `cost ${cost}  ${String(ms).padStart(6)} ms`),
    picked.ms > target ? `Even the least cost takes longer than ${target} ms here: a faster machine, or more of them.` : `About ${loginsPerSecond} logins a second on this machine. Put this into the settings:`,
    `BCRYPT_COST=${picked.cost}`,
  ]
  return { data: { target, measured, cost: picked.cost, loginsPerSecond, setting: `BCRYPT_COST=${picked.cost}` }, text: lines.join('\n') }
}

const command: Command = {
  help: HELP,
  options: { target: { type: 'string' } },
  run: chooseAction({ calibrate }),
}

export default command
