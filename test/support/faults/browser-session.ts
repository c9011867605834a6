import type { Exchange, Operation, Recorder } from './history.ts'
import type { Random } from './random.ts'
import { createCookieClient, freshAddress, type ClientRequest } from './cookie-client.ts'
import type { HttpResponse } from './http-request.ts'

/** Shared by all clients: the ports of the services, and the recorder of the history. */
export interface Recording {
  ports: number[]
  recorder: Recorder
}

/** Requests whose success sets tokens. */
const OPENING: Operation[] = ['login', 'second-step', 'refresh']

type Details = Partial<Pick<Exchange, 'password' | 'newPassword' | 'target' | 'newDevice' | 'audit'>>

/** A browser that picks a service at random, has a timeout, and records each request with its response. */
export function createBrowserSession (
  { ports, recorder }: Recording,
  random: Random,
  person: string,
  cookies = new Map<string, string>()
) {
  const client = createCookieClient(cookies)

  function session (): { family: string, token: string } | undefined {
    const payload = cookies.get('refresh_token')?.split('.')[1]
    if (!payload) return undefined
    const { sid, jti } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return { family: sid, token: jti }
  }

  async function send (what: Operation, request: ClientRequest, details: Details = {}): Promise<HttpResponse | null> {
    const service = random.between(0, ports.length - 1)
    const timeout = random.between(1_500, 8_000)
    const address = request.address ?? freshAddress()
    const presented = session()
    const from = recorder.now()
    const response = await client.send(ports[service] as number, { ...request, address, timeout })
    const until = recorder.now()
    const got = response?.status === 200 && OPENING.includes(what) ? session() : undefined
    recorder.write({
      type: 'exchange',
      what,
      from,
      until,
      status: response?.status ?? null,
      retryAfter: response?.headers['retry-after'],
      service,
      person,
      address,
      family: presented?.family,
      token: presented?.token,
      newFamily: got?.family,
      newToken: got?.token,
      ...details,
    })
    return response
  }

  return {
    cookies,
    session,
    send,

    /** As a page does: gets a CSRF token first, then sends the request with it. */
    async sendGuarded (what: Operation, request: ClientRequest, details?: Details): Promise<HttpResponse | null> {
      const issued = await send('csrf', { method: 'GET', path: '/api/csrf-token' })
      if (issued?.status !== 200) return null
      return send(what, { ...request, headers: { 'x-csrf-token': JSON.parse(issued.body).csrfToken } }, details)
    },

    /** Another browser with the same cookies: stolen, or restored from a backup. */
    copy: () => createBrowserSession({ ports, recorder }, random, person, new Map(cookies)),
  }
}

export type BrowserSession = ReturnType<typeof createBrowserSession>
