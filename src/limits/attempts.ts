import type { Counters, Hit } from '../counters/counters.ts'
import { TooManyLogins } from '../errors.ts'

export const secondsLeft = ({ resetMs }: Hit): number => Math.max(1, Math.ceil(resetMs / 1_000))

/** Attempts are counted before their outcome is known, and given back when they succeed. */
export function createAttempts (
  counters: Counters,
  max: number,
  windowSeconds: number,
  onDecision: (outcome: 'passed' | 'refused') => void
) {
  const hits = new WeakMap<object, Hit>()

  return {
    async take (request: object, key: string): Promise<Hit> {
      const hit = await counters.take(key, windowSeconds * 1_000)
      onDecision(hit.count > max ? 'refused' : 'passed')
      if (hit.count > max) {
        // A refused request is not an attempt. Otherwise a few concurrent logins could use up the window.
        await counters.giveBack(hit)
        throw new TooManyLogins(secondsLeft(hit))
      }
      hits.set(request, hit)
      return hit
    },

    async giveBack (request: object) {
      const hit = hits.get(request)
      hits.delete(request)
      if (hit) await counters.giveBack(hit)
      return hit
    },
  }
}
