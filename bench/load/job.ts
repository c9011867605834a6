export type Cookies = Record<string, string>

export interface Job {
  port: number
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  /** Used in turn. */
  bodies?: object[]
  cookies?: Cookies[]
  /**
   * Cookies that are taken from a response and sent with the next request of the same browser. There is a browser for
   * each body, and at least one for each connection: the one that has waited longest comes next.
   */
  keep?: string[]
  /** Sends a proof of the key of the device with each refresh token. `secret`: JWT_SECRET of the service. */
  prove?: { secret: string, key: string }
  connections: number
  /** No request starts later than this. With 0, each connection sends one request. */
  seconds: number
  /** Requests a second, however slow the responses are. Without it, each connection waits for its response. */
  rate?: number
}

export interface Outcome {
  /** Responses of 2xx a second. */
  rate: number
  p50: number
  p99: number
  slowest: number
  statuses: Record<string, number>
  /** Refusals with `Retry-After`. */
  withRetryAfter: number
  unanswered: number
  cookies: Cookies[]
}
