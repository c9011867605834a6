import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf, resolveHost, type Resolve } from './address.ts'

/** `isComplete`: nothing of the body is missing. */
export interface Answer { status: number, body: string, isComplete: boolean }

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

/** A `lookup` for a new connection: it goes to an address that was checked. */
const lookupOf = (url: URL, options: Options): LookupFunction => (_hostname, { all }, callback) => {
  resolveHost(url, options).then(
    addresses => all ? callback(null, addresses) : callback(null, addresses[0].address, addresses[0].family),
    error => callback(error, '')
  )
}

/** Reads the beginning. The rest may be missing or late. */
function read (response: IncomingMessage): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const chunks: Buffer[] = []
  let size = 0
  const finish = () => {
    const body = Buffer.concat(chunks).toString('utf8', 0, MAX_ANSWER)
    resolve({ status: response.statusCode ?? 0, body, isComplete: response.complete && size <= MAX_ANSWER })
    response.destroy()
  }
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_ANSWER) finish()
  })
  for (const end of ['end', 'error', 'close']) response.on(end, finish)
  return promise
}

interface Message { method: 'GET' | 'POST', headers: Record<string, string>, body?: string }

/** The receiver may close a kept connection while the next message is sent. Nothing of it was read: it is repeated. */
const isStale = ({ reusedSocket }: ClientRequest, { code }: NodeJS.ErrnoException) =>
  reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')

/** `signal` ends it. */
async function request (url: URL, options: RequestOptions, body?: string): Promise<IncomingMessage> {
  const { request: open } = url.protocol === 'https:' ? https : http
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = open(url, options)
  sent.on('response', resolve)
  sent.on('error', reject)
  sent.end(body)
  return promise.catch(error => {
    if (isStale(sent, error) && !options.signal?.aborted) return request(url, options, body)
    throw error
  })
}

/** Sends a request to an address that was checked. Follows no redirect. Throws if there is no answer in time. */
async function send (
  url: URL,
  { method, headers, body }: Message,
  { timeout = TIMEOUT, ...options }: Options
): Promise<Answer> {
  // No name is looked up for such a host.
  if (isIP(hostOf(url))) await resolveHost(url, options)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeout)
  const { agent = false } = options
  const { signal } = late
  try {
    return await read(await request(url, { method, headers, agent, signal, lookup: lookupOf(url, options) }, body))
  } catch (error) {
    throw signal.aborted ? new Error(`No answer within ${timeout / 1_000} seconds.`) : error
  } finally {
    clearTimeout(timer)
  }
}

/** Sends a message and returns the answer. The status counts, also if the rest is missing. */
export function post (url: URL, headers: Record<string, string>, body: string, options: Options): Promise<Answer> {
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  return send(url, { method: 'POST', headers: { ...headers, ...length }, body }, options)
}

/** Reads a document of up to 16 KiB. */
export const get = (url: URL, headers: Record<string, string>, options: Options): Promise<Answer> =>
  send(url, { method: 'GET', headers }, options)
