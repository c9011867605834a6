export type Cookies = Record<string, string>

export interface Job {
  port: number
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  /** Requests take them in turn. */
  bodies?: object[]
  cookies?: Cookies[]
  /** Cookies that a connection takes from an answer and sends with its next request, as a browser does: then it has a body and a jar of its own. */
  keep?: string[]
  connections: number
  /** No request begins later than this. With 0, each connection asks once. */
  seconds: number
  /** So many a second, however slowly they are answered. Without it, each connection asks again as soon as it has its answer. */
  rate?: number
}

export interface Outcome {
  /** Answers of 2xx in a second. */
  rate: number
  p50: number
  p99: number
  slowest: number
  statuses: Record<string, number>
  /** Refusals that say when to come again. */
  withRetryAfter: number
  unanswered: number
  cookies: Cookies[]
}
