import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf, resolveHost, type Resolve } from './address.ts'

export interface Answer { status: number, body: string }

interface Options {
  privateAllowed: boolean
  resolve?: Resolve
  /** In milliseconds, for everything together. */
  timeout?: number
  /** Keeps connections open, each to an address that was checked. Without it, each message has its own. */
  agent?: http.Agent
}

const TIMEOUT = 5_000
/** More than this is not read. */
const MAX_ANSWER = 16 * 1024

/** A `lookup` for a new connection: it goes to the address that was checked. */
const lookupOf = (url: URL, options: Options): LookupFunction => (_hostname, { all }, callback) => {
  resolveHost(url, options).then(
    ({ address, family }) => all ? callback(null, [{ address, family }]) : callback(null, address, family),
    error => callback(error, '')
  )
}

/** Reads the beginning. The rest may be missing or late: the status has arrived. */
function read (response: IncomingMessage): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const chunks: Buffer[] = []
  let size = 0
  const finish = () => {
    resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8', 0, MAX_ANSWER) })
    response.destroy()
  }
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_ANSWER) finish()
  })
  for (const end of ['end', 'error', 'close']) response.on(end, finish)
  return promise
}

/** The receiver may close a kept connection while the next message is sent. Nothing of it was read: it is repeated. */
const isStale = ({ reusedSocket }: ClientRequest, { code }: NodeJS.ErrnoException) =>
  reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')

/** Sends the body. `signal` ends it. */
async function send (url: URL, options: RequestOptions, body: string): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(url, options)
  sent.on('response', resolve)
  sent.on('error', reject)
  sent.end(body)
  return promise.catch(error => {
    if (isStale(sent, error) && !options.signal?.aborted) return send(url, options, body)
    throw error
  })
}

/** Sends a message and returns the answer. Follows no redirect. Throws if there is no answer in time. */
export async function post (
  url: URL,
  headers: Record<string, string>,
  body: string,
  { timeout = TIMEOUT, ...options }: Options
): Promise<Answer> {
  // No name is looked up for such a host.
  if (isIP(hostOf(url))) await resolveHost(url, options)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeout)
  const { agent = false } = options
  try {
    return await read(await send(url, {
      method: 'POST',
      agent,
      lookup: lookupOf(url, options),
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal: late.signal,
    }, body))
  } catch (error) {
    throw late.signal.aborted ? new Error(`No answer within ${timeout / 1_000} seconds.`) : error
  } finally {
    clearTimeout(timer)
  }
}
