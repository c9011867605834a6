import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { resolveHost, type Resolve, type ResolvedAddress } from './address.ts'

export interface Answer { status: number, body: string }

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

/** Sends a message and returns the answer. Follows no redirect. Throws if there is no answer in time. */
export async function post (
  url: URL,
  headers: Record<string, string>,
  body: string,
  { timeout = TIMEOUT, ...options }: Options
): Promise<Answer> {
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => {})
  const timer = setTimeout(() => late.reject(new Error(`No answer within ${timeout / 1_000} seconds.`)), timeout)
  try {
    const address = await Promise.race([resolveHost(url, options), late.promise])
    const { request } = url.protocol === 'https:' ? https : http
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(url, {
      method: 'POST', agent: false, lookup: lookupOf(address), headers: { ...headers, ...length },
    })
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
