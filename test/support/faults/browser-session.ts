import { randomBytes } from 'node:crypto'
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
const OPENING: Operation[] = ['verify', 'login', 'second-step', 'refresh', 'change', 'confirm-totp']

type Details = Partial<Pick<Exchange,
  'password' | 'newPassword' | 'target' | 'newDevice' | 'audit' | 'grant' | 'offline'>>

/** A browser that picks a service at random, has a timeout, and records each request with its response. */
export function createBrowserSession (
  { ports, recorder }: Recording,
  random: Random,
  person: string,
  cookies = new Map<string, string>()
) {
  const client = createCookieClient(cookies, { repeats: false })
  let turn: Promise<unknown> = Promise.resolve()

  /** As the browser client does: a late response must not replace the cookies of a newer one. */
  function inTurn<T> (work: () => Promise<T>): Promise<T> {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }

  function session (): { family: string, token: string } | undefined {
    const payload = cookies.get('refresh_token')?.split('.')[1]
    if (!payload) return undefined
    const { sid, jti } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return { family: sid, token: jti }
  }

  /** `read`: what the status does not say. */
  async function send (
    what: Operation,
    request: ClientRequest,
    details: Details = {},
    read: (response: HttpResponse) => Partial<Exchange> = () => ({})
  ): Promise<HttpResponse | null> {
    const service = random.between(0, ports.length - 1)
    const timeout = random.between(1_500, 8_000)
    const address = request.address ?? freshAddress()
    const presented = session()
    const hasProofKey = cookies.has('proof_key')
    const from = recorder.now()
    const response = await client.send(ports[service] as number, { ...request, address, timeout })
    const until = recorder.now()
    // The first step of a login sets a cookie, too, but no tokens: the session that the browser had stays.
    const hasTokens = response?.headers['set-cookie']?.some(line => /^refresh_token=[^;]/.test(line))
    const got = hasTokens && OPENING.includes(what) ? session() : undefined
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
      ...(hasProofKey && { hasProofKey }),
      ...details,
      ...response && read(response),
    })
    return response
  }

  const refresh = () => send('refresh', { path: '/api/auth/refresh' })

  async function sendProof (what: Operation, request: ClientRequest, details?: Details) {
    if (cookies.has('proof_key') && (await refresh())?.status !== 200) return null
    const issued = await send('csrf', { method: 'GET', path: '/api/csrf-token' })
    if (issued?.status !== 200) return null
    cookies.set('proof_key', randomBytes(32).toString('hex'))
    const headers = { 'x-csrf-token': JSON.parse(issued.body).csrfToken }
    const response = await send(what, { ...request, headers }, details)
    if (response && response.status < 500) cookies.delete('proof_key')
    return response
  }

  return {
    cookies,
    session,
    send,

    /** In several tabs at once. */
    refresh: (tabs = 1) => inTurn(() => Promise.all(Array.from({ length: tabs }, refresh))),

    /** As a page does: gets a CSRF token first, then sends the request with it. It may replace the session. */
    sendGuarded: (...request: Parameters<typeof sendProof>) => inTurn(() => sendProof(...request)),

    /** Another browser with the same cookies: stolen before a proof that is under way, or restored from a backup. */
    copy () {
      const copied = new Map(cookies)
      copied.delete('proof_key')
      return createBrowserSession({ ports, recorder }, random, person, copied)
    },
  }
}

export type BrowserSession = ReturnType<typeof createBrowserSession>
