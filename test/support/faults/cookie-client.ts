import { repeatRefused } from '../repeat-refused.ts'
import { sendRequest, type HttpResponse } from './http-request.ts'

export interface ClientRequest {
  method?: string
  path: string
  body?: object
  headers?: Record<string, string>
  address?: string
  timeout?: number
}

/** In milliseconds: sooner than a test gives up. No response is what some of them expect. */
const RESPONSE_TIMEOUT = 25_000

let addresses = 0
/** A different client address for each request, so that only the guessers reach the limits of an address. */
export const freshAddress = () =>
  `10.${Math.floor(++addresses / 62_500)}.${Math.floor(addresses / 250) % 250}.${(addresses % 250) + 1}`

/** An HTTP client that keeps cookies as a browser does. It sends again what is refused (503), unless told otherwise. */
export function createCookieClient (cookies = new Map<string, string>(), { repeats = true } = {}) {
  async function sendOnce (
    port: number,
    { method = 'POST', path, body, headers, address = freshAddress(), timeout = RESPONSE_TIMEOUT }: ClientRequest
  ): Promise<HttpResponse | null> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await sendRequest({
      port,
      method,
      path,
      body,
      timeout,
      headers: { ...headers, 'x-forwarded-for': address, ...(cookie && { cookie }) },
    })
    for (const line of response?.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = line.match(/^([^=]+)=([^;]*)/) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return response
  }

  return {
    cookies,
    send: (port: number, request: ClientRequest): Promise<HttpResponse | null> =>
      repeats ? repeatRefused(() => sendOnce(port, request)) : sendOnce(port, request),
  }
}

export type CookieClient = ReturnType<typeof createCookieClient>
