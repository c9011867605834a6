import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

interface Asked {
  path: string
  method?: 'POST'
  headers?: Record<string, string>
  form?: Record<string, string>
  json?: object
  cookie?: string
}

export interface Answered { status: number, headers: IncomingMessage['headers'], body: string }

/** One request on a connection that stays open. */
export type Ask = (asked: Asked) => Promise<Answered>
/** What one client does again and again. */
export type Step = (ask: Ask) => Promise<void>

/** The HTTP client of this process: the same for everything that is compared. */
export function createAsk (port: number): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return ({ path, method, headers = {}, form, json, cookie }) => new Promise((resolve, reject) => {
    const body = form ? new URLSearchParams(form).toString() : json && JSON.stringify(json)
    const sent = request({
      agent,
      host: '127.0.0.1',
      port,
      path,
      method: method ?? (body ? 'POST' : 'GET'),
      headers: {
        ...headers,
        ...cookie && { cookie },
        ...form && { 'content-type': 'application/x-www-form-urlencoded' },
        ...json && { 'content-type': 'application/json' },
      },
    }, response => {
      const { headers, statusCode: status = 0 } = response
      text(response).then(body => resolve({ status, headers, body }), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export const cookiesOf = ({ headers }: Answered) => (headers['set-cookie'] ?? []).map(each => each.split(';')[0] ?? '')

/** A browser that keeps its cookies. */
export function createVisitor (ask: Ask): Ask {
  const cookies = new Map<string, string>()
  return async function visit (asked) {
    const answer = await ask({ ...asked, cookie: [...cookies.values()].join('; ') })
    for (const each of cookiesOf(answer)) cookies.set(each.split('=')[0] ?? '', each)
    return answer
  }
}

/** Steps a second of several clients at once. */
export async function rateOf (port: number, steps: Step[], seconds: number) {
  const end = performance.now() + seconds * 1_000
  let done = 0
  await Promise.all(steps.map(async step => {
    const ask = createAsk(port)
    while (performance.now() < end) {
      await step(ask)
      done++
    }
  }))
  return { rate: done / seconds, statuses: { done } }
}
