// What an overloaded service refuses (503 with Retry-After), users send again. So do the clients of the tests.
import { setTimeout as sleep } from 'node:timers/promises'
import { inTime, WAIT_LIMIT } from './patience.ts'

type Headers = globalThis.Headers | Record<string, unknown>
type Response = { headers: Headers } & ({ status: number } | { statusCode: number })

/** In milliseconds. Users wait as long as the header says. */
const PAUSE = 100

const valueOf = (headers: Headers, name: string) =>
  headers instanceof globalThis.Headers ? headers.get(name) : headers[name]

/** Whether the service itself refuses: all its responses have a Referrer-Policy, those of a front end have none. */
export function isRefused (response: Response | null | undefined): boolean {
  if (!response || ('status' in response ? response.status : response.statusCode) !== 503) return false
  return Number(valueOf(response.headers, 'retry-after')) > 0 &&
    Boolean(valueOf(response.headers, 'referrer-policy'))
}

/** Sends a request again while it is refused, for half a minute at most: then the refusal is the response. */
export async function repeatRefused<T extends Response | null | undefined> (
  send: () => Promise<T>,
  isRefusal: (response: T) => boolean = isRefused
): Promise<T> {
  const over = AbortSignal.timeout(WAIT_LIMIT)
  for (;;) {
    const response = await inTime(send(), 'a response')
    if (!isRefusal(response) || over.aborted) return response
    await sleep(PAUSE)
  }
}
