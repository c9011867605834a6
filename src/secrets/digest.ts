import { hash } from 'node:crypto'

/** The database stores this hash of a token, which identifies the token but cannot replace it. */
export function digest (value: string): Buffer {
  return hash('sha256', value, 'buffer')
}
