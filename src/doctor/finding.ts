export type State = 'ok' | 'warning' | 'problem'

/** What one check found, in one line, and what to do about it. */
export interface Finding {
  check: string
  state: State
  message: string
  advice?: string
}

/** The findings of one check. */
export const about = (check: string) => ({
  ok: (message: string): Finding => ({ check, state: 'ok', message }),
  warning: (message: string, advice: string): Finding => ({ check, state: 'warning', message, advice }),
  problem: (message: string, advice: string): Finding => ({ check, state: 'problem', message, advice }),
})
