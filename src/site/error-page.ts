import { NO_MESSAGE } from '../hooks/errors.ts'
import type { Texts } from './texts.ts'

const MINUTE = 60

export interface Failed {
  status: number
  /** In seconds. */
  retryAfter?: number
  /** What the application says to the user, if it refused. */
  refusal?: string
}

interface ErrorPage {
  title: string
  lead: string
  /** Whether the same request may succeed later. */
  canRetry: boolean
}

/** What the page for a failed request says. */
export function errorPage ({ error, wait }: Texts, { status, retryAfter = MINUTE, refusal }: Failed): ErrorPage {
  if (refusal !== undefined) {
    return { ...error.refused, ...refusal !== NO_MESSAGE && { lead: refusal }, canRetry: false }
  }
  if (status === 429) {
    return { ...error[429], lead: wait.spoken(Math.max(1, Math.ceil(retryAfter / MINUTE))), canRetry: true }
  }
  if (status === 503) return { ...error[503], canRetry: true }
  if (status >= 500) return { ...error[500], canRetry: true }
  const known: Record<number, { title: string, lead: string }> = { 404: error[404], 405: error[405] }
  return { ...known[status] ?? error.other, canRetry: false }
}
