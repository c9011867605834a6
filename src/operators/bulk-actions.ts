/** What can be done with all accounts that a search finds. */
export const BULK_ACTIONS = ['disable', 'enable', 'end-sessions', 'expire-password', 'delete'] as const

export type BulkAction = typeof BULK_ACTIONS[number]

/** Accounts in one request: it should not take longer than a second or two. */
export const MAX_BULK = 100

export interface BulkResult {
  done: number
  /** There was nothing to do, such as to disable an account that is disabled. */
  unchanged: number
  skipped: Array<{ id: string, username: string | null, reason: string }>
}
