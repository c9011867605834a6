import type { Texts } from './texts.ts'

const MINUTE = 60

interface ErrorPage {
  title: string
  lead: string
  /** Whether the same request may succeed later. */
  canRetry: boolean
}

/** What the page for a failed request says. It knows nothing but the status and the time to wait. */
export function errorPage ({ error, wait }: Texts, status: number, retryAfter = MINUTE): ErrorPage {
  if (status === 429) {
    return { ...error[429], lead: wait.spoken(Math.max(1, Math.ceil(retryAfter / MINUTE))), canRetry: true }
  }
  if (status === 503) return { ...error[503], canRetry: true }
  if (status >= 500) return { ...error[500], canRetry: true }
  const known: Record<number, { title: string, lead: string }> = { 404: error[404], 405: error[405] }
  return { ...known[status] ?? error.other, canRetry: false }
}
