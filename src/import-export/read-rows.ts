import { readFile, stat } from 'node:fs/promises'
import { hasDuplicates } from '../accounts/strict-json.ts'
import { parseCsv, readRecords } from './records.ts'

export const FORMATS = ['ndjson', 'csv', 'json'] as const
export type Format = typeof FORMATS[number]

/** One row of a file. `line` is the number of an array's element where the file is one JSON text. */
export interface Row { line: number, bytes: number, fields?: Record<string, unknown>, problem?: string }

export class UnreadableFile extends Error {}

/** A JSON text is read at once. */
const MAX_JSON = 256 * 1024 * 1024

export function readRows (path: string, format: Format): AsyncGenerator<Row> {
  if (format === 'csv') return readCsv(path)
  return format === 'json' ? readJson(path) : readNdjson(path)
}

async function * readNdjson (path: string): AsyncGenerator<Row> {
  for await (const { text, ...record } of readRecords(path)) {
    yield text === undefined ? record : { ...record, ...parseJson(record.line === 1 ? withoutMark(text) : text) }
  }
}

/** The first record names the fields. An empty field is a missing one. */
async function * readCsv (path: string): AsyncGenerator<Row> {
  let names: string[] | undefined
  for await (const { text, ...record } of readRecords(path, { quotes: true })) {
    const values = text === undefined ? undefined : parseCsv(names ? text : withoutMark(text))
    if (!names) {
      if (!values) throw new UnreadableFile('The first line must name the columns.')
      names = values.map(name => name.trim())
      if (new Set(names).size < names.length) throw new UnreadableFile('The first line names a column twice.')
    } else if (!values) {
      yield { problem: 'wrong quotes', ...record }
    } else if (values.length !== names.length) {
      yield { ...record, problem: `${values.length} columns instead of ${names.length}` }
    } else {
      const pairs = names.map((name, index) => [name, values[index]]).filter(([, value]) => value !== '')
      yield { ...record, fields: Object.fromEntries(pairs) }
    }
  }
}

/** An array of users, or an object with one in `users`, as Firebase and Keycloak export it. */
async function * readJson (path: string): AsyncGenerator<Row> {
  const { size } = await stat(path)
  if (size > MAX_JSON) throw new UnreadableFile('The file is larger than 256 MiB: split it.')
  const content = await readFile(path)
  const { fields: parsed, problem } = parseJson(withoutMark(new TextDecoder().decode(content)), () => true)
  if (problem) throw new UnreadableFile(`The file cannot be read: ${problem}.`)
  const users = Array.isArray(parsed) ? parsed : parsed?.users
  if (!Array.isArray(users)) throw new UnreadableFile('The file has no JSON array of users.')
  for (const [index, user] of users.entries()) {
    const row = { line: index + 1, bytes: Math.floor(size * (index + 1) / users.length) }
    yield isObject(user) ? { ...row, fields: user } : { ...row, problem: 'not a JSON object' }
  }
}

function parseJson (text: string, accepts: (value: unknown) => boolean = isObject): Pick<Row, 'fields' | 'problem'> {
  try {
    const value = JSON.parse(text)
    // JSON.parse keeps the second value. Another program may have read the first.
    if (hasDuplicates(text, value)) return { problem: 'a member twice' }
    return accepts(value) ? { fields: value } : { problem: 'not a JSON object' }
  } catch {
    return { problem: 'not valid JSON' }
  }
}

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const withoutMark = (text: string) => text.replace(/^\uFEFF/, '')
