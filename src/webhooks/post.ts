import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { resolveHost, type Resolve, type ResolvedAddress } from './address.ts'

/** `isComplete`: nothing of the body is missing. */
export interface Answer { status: number, body: string, isComplete: boolean }

interface Options {
  privateAllowed: boolean
  resolve?: Resolve
  /** In milliseconds, for everything together. */
  timeout?: number
}

const TIMEOUT = 5_000
/** More than this is not read. */
const MAX_ANSWER = 16 * 1024

/** A `lookup` for one connection, to an address that has been checked. */
const lookupOf = ({ address, family }: ResolvedAddress): LookupFunction => (_hostname, { all }, callback) =>
  all ? callback(null, [{ address, family }]) : callback(null, address, family)

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

/** Sends a request to the address that was checked. Follows no redirect. Throws if there is no answer in time. */
async function send (url: URL, message: Message, { timeout = TIMEOUT, ...options }: Options): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => {})
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${timeout / 1_000} seconds.`)), timeout)
  try {
    const address = await Promise.race([resolveHost(url, options), late.promise])
    const { request } = url.protocol === 'https:' ? https : http
    const { method, headers, body } = message
    const sent = request(url, { method, headers, agent: false, lookup: lookupOf(address) })
    const response = Promise.withResolvers<IncomingMessage>()
    sent.on('response', response.resolve)
    sent.on('error', response.reject)
    sent.end(body)
    late.promise.catch(() => sent.destroy())
    return await read(await Promise.race([response.promise, late.promise]))
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
