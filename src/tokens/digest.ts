import { createHash } from 'node:crypto'

/** What the database keeps of a token: enough to know it again, too little to use it. */
export function digest (value: string): Buffer {
  return createHash('sha256').update(value).digest()
}
