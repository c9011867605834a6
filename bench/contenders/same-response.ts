import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Cookies } from '../load/job.ts'
import { startProgram, type Program } from './start-program.ts'

const PROGRAM = join(import.meta.dirname, 'programs/same-response.ts')
/** Node writes these itself. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive']

export interface Endpoint { port: number, path: string, method?: 'GET' | 'POST', cookies?: Cookies }
interface Response { status: number, headers: string[], keepAlive: string, body: string }

/** A bare node:http server that sends the bytes of another program's response: the upper bound for that route. */
export async function startSameResponse (endpoint: Endpoint): Promise<Program> {
  const original = await read(endpoint)
  const bare = await startProgram({
    command: [process.execPath, PROGRAM],
    env: { RESPONSE: JSON.stringify(original) },
  })
  const copy = await read({ ...endpoint, port: bare.port })
  if (JSON.stringify(copy) !== JSON.stringify(original)) {
    await bare.stop()
    throw new Error(`${endpoint.path}: the bare server sends ${JSON.stringify(copy)}`)
  }
  return bare
}

/** What a program sends, without what Node adds. */
export async function read ({ port, path, method, cookies = {} }: Endpoint): Promise<Response> {
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  const sent = request({ port, path, method, host: '127.0.0.1', headers: cookie ? { cookie } : {} }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray()).toString()
  return {
    status: response.statusCode as number,
    headers: response.rawHeaders.filter((_, index, all) => !OWN_HEADERS.includes(nameAt(index, all))),
    keepAlive: String(response.headers['keep-alive']),
    body,
  }
}

/** The name of the header that this entry of `rawHeaders` belongs to. */
const nameAt = (index: number, rawHeaders: string[]) => (rawHeaders[index - (index % 2)] as string).toLowerCase()
