import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

/** For the whole response. */
const TIMEOUT = 1_000
/** A range has about 1,000 lines of 40 bytes. */
const MAX_BYTES = 1024 * 1024
const MAX_CACHED = 100
const CACHE_TIME = 60 * 60_000

/** `SUFFIX:COUNT` for each hash of the range. Lines that only pad the response have the count 0. */
const RANGE = /^(?:[0-9A-F]{35}:\d+(?:\r?\n|$))+$/i

/**
 * Asks the range interface of Have I Been Pwned, or a copy of it, at `url`.
 * Only the first five characters of the SHA-1 hash are sent: the service cannot tell which password was meant.
 */
export function createBreachedPasswords (url: string, timeout = TIMEOUT) {
  const base = url.replace(/\/+$/, '')
  const cache = new Map<string, { range: Promise<string>, until: number }>()

  async function fetchRange (prefix: string): Promise<string> {
    const response = await fetch(`${base}/${prefix}`, {
      headers: { 'add-padding': 'true', 'user-agent': 'gatehouse' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`it responded with status ${response.status}`)
    }
    const text = await readText(response)
    if (!RANGE.test(text)) throw new Error('its response is not a range of hashes')
    return text
  }

  /** Concurrent callers share one request. Failures are not cached. */
  function rangeOf (prefix: string): Promise<string> {
    const now = performance.now()
    const cached = cache.get(prefix)
    if (cached && cached.until > now) return cached.range
    cache.delete(prefix)
    const range = fetchRange(prefix)
    const entry = { range, until: now + CACHE_TIME }
    cache.set(prefix, entry)
    range.catch(() => cache.get(prefix) === entry && cache.delete(prefix))
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
    return range
  }

  return {
    /** Throws if the list does not respond within a second. */
    async include (password: string): Promise<boolean> {
      const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
      const range = await rangeOf(hash.slice(0, 5))
      return new RegExp(`^${hash.slice(5)}:0*[1-9]`, 'im').test(range)
    },
  }
}

async function readText ({ body }: Response): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of Readable.fromWeb(body as ReadableStream)) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new Error('its response is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('latin1')
}
