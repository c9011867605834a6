import type { Counters, Taken } from '../counters/counters.ts'
import { TooManyLogins } from '../errors.ts'

export const secondsLeft = ({ resetMs }: Taken): number => Math.max(1, Math.ceil(resetMs / 1_000))

/** Attempts that are counted before their outcome is known, and given back when it is a success. */
export function createAttempts (counters: Counters, max: number, windowSeconds: number, onDecision: (outcome: 'passed' | 'refused') => void) {
  const taken = new WeakMap<object, Taken>()

  return {
    async take (request: object, key: string): Promise<Taken> {
      const attempt = await counters.take(key, windowSeconds * 1_000)
      onDecision(attempt.count > max ? 'refused' : 'passed')
      if (attempt.count > max) {
        // What was refused is no attempt: else a few people who sign in at the same moment could use up the window.
        await counters.giveBack(attempt)
        throw new TooManyLogins(secondsLeft(attempt))
      }
      taken.set(request, attempt)
      return attempt
    },

    async giveBack (request: object) {
      const attempt = taken.get(request)
      taken.delete(request)
      if (attempt) await counters.giveBack(attempt)
      return attempt
    },
  }
}
