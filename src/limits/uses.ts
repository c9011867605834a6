import type { Counters } from '../counters/counters.ts'
import type { HttpError } from '../errors.ts'
import { secondsOf } from './attempts.ts'

interface Options {
  max: number
  windowSeconds: number
  onDecision? (outcome: 'passed' | 'refused'): void
  refusal (seconds: number): HttpError
}

/** Returns a function that counts a use of a key in a fixed window, and throws the refusal if there were too many. */
export function createUses (
  counters: Pick<Counters, 'take'>,
  { max, windowSeconds, onDecision = () => {}, refusal }: Options
) {
  return async function countUse (key: string): Promise<void> {
    const { count, resetMs } = await counters.take(key, windowSeconds * 1_000)
    const isRefused = count > max
    onDecision(isRefused ? 'refused' : 'passed')
    if (isRefused) throw refusal(secondsOf(resetMs))
  }
}
