import { createReadStream } from 'node:fs'

/** One line of a file, or one record of CSV, which may have several lines. `problem`: it could not be read. */
interface RawRecord { line: number, bytes: number, text?: string, problem?: string }

const MAX_BYTES = 64 * 1024
const [NEWLINE, QUOTE] = [0x0a, 0x22]
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Splits a file at newlines; with `quotes` not at those within quotes. A record that is too long is reported, not kept:
 * the memory does not grow with the file. `bytes` is how much of the file has been read.
 */
export async function * readRecords (path: string, { quotes = false } = {}): AsyncGenerator<RawRecord> {
  let [line, bytes, first, length, quoted] = [1, 0, 1, 0, false]
  let parts: Buffer[] = []

  function keep (part: Buffer) {
    if (length <= MAX_BYTES) parts.push(part)
    length += part.length
  }
  function end (): RawRecord | undefined {
    const record = length > MAX_BYTES
      ? { line: first, bytes, problem: `longer than ${MAX_BYTES / 1024} KiB` }
      : decode(Buffer.concat(parts), first, bytes)
    parts = []
    length = 0
    first = line
    return record.text === '' ? undefined : record
  }

  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (quotes && byte === QUOTE) quoted = !quoted
      if (byte !== NEWLINE) continue
      line++
      if (quoted) continue
      keep(chunk.subarray(start, index))
      start = index + 1
      const record = end()
      if (record) yield record
    }
    keep(chunk.subarray(start))
    bytes += chunk.length
  }
  const record = quoted ? { line: first, bytes, problem: 'a quote that does not end' } : end()
  if (record) yield record
}

function decode (content: Buffer, line: number, bytes: number): RawRecord {
  try {
    const text = utf8.decode(content).replace(/\r$/, '')
    return text.includes('\0') ? { line, bytes, problem: 'a NUL character' } : { line, bytes, text }
  } catch {
    return { line, bytes, problem: 'not valid UTF-8' }
  }
}

const FIELD = /,(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/gsy

/** The fields of a record of CSV (RFC 4180), or nothing if its quotes are wrong. */
export function parseCsv (text: string): string[] | undefined {
  const fields: string[] = []
  let end = 0
  for (const match of `,${text}`.matchAll(FIELD)) {
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    end = match.index + match[0].length
  }
  return end === text.length + 1 ? fields : undefined
}
