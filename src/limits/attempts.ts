import { newAttempt, type Attempt, type AttemptLimit, type Counters, type Failures } from '../counters/counters.ts'
import { Overloaded, TooManyLogins, type HttpError } from '../errors.ts'
import { createWaitingLine } from './waiting-line.ts'

interface Options {
  max: number
  windowSeconds: number
  onDecision (outcome: 'passed' | 'refused'): void
  refusal? (seconds: number): HttpError
}

export interface StartedAttempt extends Attempt, Failures {}

/** Longer than any attempt takes. So long do the attempts of an instance that died count. */
const LEASE_MS = 30_000

export const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

const refuseLogin = (seconds: number) => new TooManyLogins(seconds)

/**
 * Bounds how many attempts may fail in a window. Those under way count as failed until they are decided,
 * and while they fill the limit the next one waits for its turn.
 */
export function createAttempts (counters: Counters, { max, windowSeconds, onDecision, refusal }: Options) {
  const limit: AttemptLimit = { max, windowMs: windowSeconds * 1_000, leaseMs: LEASE_MS }
  const line = createWaitingLine<StartedAttempt>({ attempt: start, abandon: release })

  async function start (key: string): Promise<StartedAttempt | undefined> {
    const attempt = newAttempt(key)
    const { state, failed, resetMs } = await counters.begin(attempt, limit)
    if (state === 'refused') throw (refusal ?? refuseLogin)(secondsOf(resetMs))
    return state === 'started' ? { ...attempt, failed, resetMs } : undefined
  }

  async function release (attempt: Attempt) {
    await counters.release(attempt)
    line.wake(attempt.key)
  }

  return {
    /** Throws the refusal, or Overloaded where `signal` aborts before its turn. */
    async begin (key: string, signal: AbortSignal): Promise<StartedAttempt> {
      try {
        const attempt = await line.wait(key, signal)
        onDecision('passed')
        return attempt
      } catch (error) {
        if (!(error instanceof Overloaded)) onDecision('refused')
        throw error
      }
    },

    /** Also counts a failure that was not begun. */
    async fail (attempt: Attempt): Promise<Failures> {
      const failures = await counters.fail(attempt, limit)
      line.wake(attempt.key)
      return failures
    },

    release,

    /** The rate-limit headers of an answer. */
    headers: ({ failed, resetMs }: Failures) => ({
      'ratelimit-limit': max,
      'ratelimit-remaining': Math.max(0, max - failed),
      'ratelimit-reset': secondsOf(resetMs || limit.windowMs),
    }),
  }
}
