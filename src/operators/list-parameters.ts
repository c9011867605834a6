import { HttpError } from '../errors.ts'
import { InvalidCursor } from './errors.ts'

/** The orders of accounts. A minus: the greatest first. */
export const ACCOUNT_SORTS = ['created', '-created', 'username', '-username', 'lastSignIn', '-lastSignIn'] as const
export type AccountSort = typeof ACCOUNT_SORTS[number]

/** Where the next page begins: the sort key and the id of the last row. */
export interface Cursor { key: string, id: string }

export function writeCursor ({ key, id }: Cursor): string {
  return Buffer.from(JSON.stringify([key, id])).toString('base64url')
}

const isNumber = (id: string) => /^\d{1,18}$/.test(id)

/** `isKey`, `isId`: whether the sort key and the id have the right form. Clients can write any cursor. */
export function readCursor (text: string, isKey: (key: string) => boolean, isId = isNumber): Cursor {
  const [key, id] = parse(text)
  if (typeof key !== 'string' || typeof id !== 'string' || !isId(id) || !isKey(key)) {
    throw new InvalidCursor()
  }
  return { key, id }
}

function parse (text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Times that both JavaScript and PostgreSQL can read. */
const hasYear = (time: Date) => time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9_999

/** In UTC, because PostgreSQL does not know all offsets that JSON schema allows. 400 for a time that does not exist. */
export function utcTime (text: string): string {
  const time = new Date(text)
  if (!hasYear(time)) throw new HttpError(400, 'since and until must be times that exist.')
  return time.toISOString()
}

/** Whether it is a time as PostgreSQL writes it in UTC, such as `2026-01-31 09:00:00.123456+00`. */
export function isStoredTime (text: string): boolean {
  const [, day, hour] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,6})?\+00$/.exec(text) ?? []
  const time = new Date(`${day}T${hour}Z`)
  // A day such as February 30 becomes another one.
  return hasYear(time) && time.toISOString().startsWith(`${day}T${hour}`)
}
