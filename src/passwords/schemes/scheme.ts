import type { PhcString } from './phc.ts'

/** The most that a check may need. Two run at once, so that hostile hashes cannot exhaust the memory. */
export const MAX_MEMORY = 128 * 1024 * 1024

/** How to check a password against a hash that another system has made. */
export interface Check {
  /** In bytes. 0: too little to count. */
  memory: number
  /** Grows with the time that a check takes; comparable within one scheme. */
  work: number
  /** The parameters in their one written form, without secrets. */
  parameters: string
  derive (password: string): Promise<Buffer>
}

export type Scheme = (hash: PhcString) => Check
