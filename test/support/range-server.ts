import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

type Answer = (response: ServerResponse, prefix: string) => void

const hashOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase()
const randomSuffix = () => randomBytes(18).toString('hex').toUpperCase().slice(0, 35)

/** What a list can do instead of answering. */
export const TROUBLE: Record<string, Answer> = {
  'does not respond': () => {},
  'stops in the middle': response => response.writeHead(200).write(`${randomSuffix()}:3\r\n`),
  'responds with 429': response => response.writeHead(429, { 'retry-after': '2' }).end('Rate limit is exceeded.'),
  'responds with 503': response => response.writeHead(503).end(),
  'responds with a page': response => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
  'responds with nothing': response => response.writeHead(200).end(),
  'never stops': response => response.writeHead(200).end(`${randomSuffix()}:3\r\n`.repeat(60_000)),
  'closes the connection': response => response.destroy(),
}

/**
 * Responds as https://api.pwnedpasswords.com/range does: the hashes of a prefix with their counts, CRLF between
 * the lines, and padding with the count 0 if it is asked for. The padding here includes `padded`.
 */
export async function startRangeServer (t: Pick<Test, 'teardown'>, breached: string[], padded: string[] = []) {
  const requests: Array<{ prefix: string, padding: boolean }> = []
  let answer: Answer = sendRange

  function sendRange (response: ServerResponse, prefix: string) {
    const linesOf = (passwords: string[], count: number) => passwords.map(hashOf)
      .filter(hash => hash.startsWith(prefix))
      .map(hash => `${hash.slice(5)}:${count}`)
    const lines = [...linesOf(breached, 24), ...linesOf(padded, 0)]
    const others = Array.from({ length: 300 }, (_, index) => `${randomSuffix()}:${index + 1}`)
    const padding = requests.at(-1)?.padding ? Array.from({ length: 600 }, () => `${randomSuffix()}:0`) : []
    response.writeHead(200, { 'content-type': 'text/plain' }).end([...lines, ...others, ...padding].sort().join('\r\n'))
  }

  const server = createServer((request, response) => {
    const prefix = /^\/range\/([0-9A-F]{5})$/i.exec(request.url ?? '')?.[1]
    if (!prefix) return response.writeHead(400).end('The hash prefix was not in a valid format')
    requests.push({ prefix, padding: request.headers['add-padding'] === 'true' })
    answer(response, prefix.toUpperCase())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/range`,
    requests,
    hashOf,
    /** From now on, instead of answering. Without an argument it answers again. */
    misbehave (instead: Answer = sendRange) {
      answer = instead
    },
  }
}
