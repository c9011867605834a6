import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

interface Asked {
  path: string
  method?: 'POST'
  headers?: Record<string, string>
  form?: Record<string, string>
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
  return ({ path, method, headers = {}, form, cookie }) => new Promise((resolve, reject) => {
    const body = form && new URLSearchParams(form).toString()
    const sent = request({
      agent,
      host: '127.0.0.1',
      port,
      path,
      method: method ?? (form ? 'POST' : 'GET'),
      headers: {
        ...headers,
        ...cookie && { cookie },
        ...form && { 'content-type': 'application/x-www-form-urlencoded' },
      },
    }, response => {
      const { headers, statusCode: status = 0 } = response
      text(response).then(body => resolve({ status, headers, body }), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
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
