import bcrypt from 'bcrypt'
import { hashingThreads, Settings } from '../config.ts'
import { requireArguments, subcommands, UsageError, type Arguments, type Command, type Outcome } from './command.ts'

const { minimum: MIN_COST = 10, maximum: MAX_COST = 15, default: DEFAULT_COST } = Settings.properties.BCRYPT_COST
const DEFAULT_TARGET_MS = 250
const SAMPLES = 3

const HELP = `Usage: gatehouse password calibrate [--target MILLISECONDS] [--json]

Measures how long this machine takes to hash a password and prints the highest BCRYPT_COST
(${MIN_COST} to ${MAX_COST}) that stays within the target (default: ${DEFAULT_TARGET_MS} ms).
Each step doubles the time, both for a login and for an attacker. Run it on the machine of the
service while it is idle.

Examples
  gatehouse password calibrate
  gatehouse password calibrate --target 500
  gatehouse password calibrate --json
`

/** Takes the fastest of several samples: interference only makes a sample slower. */
async function measure (cost: number): Promise<number> {
  let fastest = Infinity
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = performance.now()
    await bcrypt.hash('correct-Horse-42-staple', cost)
    fastest = Math.min(fastest, performance.now() - start)
  }
  return fastest
}

/** Stops at the first cost that exceeds the target, because each further one takes twice as long. */
async function measureUpTo (target: number): Promise<Array<{ cost: number, ms: number }>> {
  const measured = []
  for (let cost = MIN_COST; cost <= MAX_COST; cost++) {
    const ms = await measure(cost)
    measured.push({ cost, ms: Math.round(ms) })
    if (ms > target) break
  }
  return measured
}

async function calibrate ({ positionals, values }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const target = Number(values.target ?? DEFAULT_TARGET_MS)
  if (!(target >= 1 && target <= 10_000)) {
    throw new UsageError('--target must be a number of milliseconds from 1 to 10000.')
  }

  const measured = await measureUpTo(target)
  const picked = measured.findLast(({ ms }) => ms <= target) ?? { cost: MIN_COST, ms: measured[0]?.ms ?? 0 }
  const loginsPerSecond = Math.round(hashingThreads() * 10_000 / picked.ms) / 10
  const setting = `BCRYPT_COST=${picked.cost}`
  const lines = [
    ...measured.map(({ cost, ms }) => `cost ${cost}  ${String(ms).padStart(6)} ms`),
    picked.ms > target
      ? `Even the lowest cost takes longer than ${target} ms on this machine. Use a faster machine, or several.`
      : `About ${loginsPerSecond} logins per second on this machine. Use this setting:`,
    setting,
    ...(picked.cost < DEFAULT_COST ? [belowDefault(picked.cost)] : []),
  ]
  return {
    data: { target, measured, cost: picked.cost, defaultCost: DEFAULT_COST, loginsPerSecond, setting },
    text: lines.join('\n'),
  }
}

function belowDefault (cost: number): string {
  const factor = 2 ** (DEFAULT_COST - cost)
  return `This is below the default of ${DEFAULT_COST}: stolen hashes can be guessed ${factor} times as fast. ` +
    'Keep the default unless logins must be faster than it allows.'
}

const command: Command = {
  help: HELP,
  options: { target: { type: 'string' } },
  run: subcommands({ calibrate }),
}

export default command
