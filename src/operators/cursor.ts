import { InvalidCursor } from './errors.ts'

/** Where the next page begins: the sort key and the id of the last row. */
export interface Cursor { key: string, id: string }

export function writeCursor ({ key, id }: Cursor): string {
  return Buffer.from(JSON.stringify([key, id])).toString('base64url')
}

/** `isKey`: whether the sort key has the right form. Clients can write any cursor. */
export function readCursor (text: string, isKey: (key: string) => boolean): Cursor {
  const [key, id] = parse(text)
  if (typeof key !== 'string' || typeof id !== 'string' || !/^\d{1,18}$/.test(id) || !isKey(key)) {
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
