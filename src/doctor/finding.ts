/** For one answer of PostgreSQL, a provider or the front end: a busy machine is slow, which is no outage. */
export const ANSWER_TIMEOUT = 10_000

export type State = 'ok' | 'warning' | 'problem' | 'skipped'

/** The result of one check, and what to do about it. No two findings have the same `check`. */
export interface Finding {
  check: string
  state: State
  message: string
  advice?: string
}

export const findingsFor = (check: string) => ({
  ok: (message: string): Finding => ({ check, state: 'ok', message }),
  warning: (message: string, advice: string): Finding => ({ check, state: 'warning', message, advice }),
  problem: (message: string, advice?: string): Finding => ({ check, state: 'problem', message, advice }),
  skipped: (message: string): Finding => ({ check, state: 'skipped', message }),
})
