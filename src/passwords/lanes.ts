import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'

export interface Check { password: string, hash: string }

/** Several passwords in each thread, interleaved: native/bcrypt.h says why. */
export interface Lanes {
  /** Lanes in each thread. */
  max: number
  /** Whether the hash is as bcrypt writes it. */
  accept (hash: string): boolean
  /** Takes as long as bcrypt at `cost`, or as its hash if that is more expensive. */
  compare (check: Check, cost: number): Promise<boolean>
}

type NativeCheck = (password: Buffer, hash: string, cost: number) => Promise<boolean>
interface Native { open (threads: number, lanes: number, nice: number): NativeCheck }

const FILE = fileURLToPath(new URL('../../native/lanes.node', import.meta.url))
/** The last characters of the salt and of the digest have spare bits, which are zero. */
const HASH = /^\$2[ab]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/
const MIN_COST = 4
/** The nice value of the threads that hash, so that the event loop comes first. */
export const HASHING_PRIORITY = 10

/** Published test vectors, one with 8-bit characters, a hash of another cost and version, and a wrong password. */
const KNOWN: Array<[password: Buffer, hash: string, matches: boolean]> = [
  [Buffer.from('U*U'), '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', true],
  [Buffer.from('known-Answer'), '$2b$04$I3ArRWBRTgw/NtV9nLlUPuAh.S9kOkhfYW6R9R5NTPi8STzOC0ZAK', true],
  [Buffer.from('U*U'), '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK', false],
  [Buffer.from('ffffa3', 'hex'), '$2a$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e', true],
]

type Settings = Pick<Config, 'HASHING_LANES' | 'HASHING_THREADS'>

/** Without lanes, `reason` says why, unless the settings do not want any. */
export async function loadLanes (
  { HASHING_LANES, HASHING_THREADS = availableParallelism() }: Settings,
  file = FILE
): Promise<{ lanes?: Lanes, reason?: string }> {
  if (HASHING_LANES === 1) return {}
  if (!existsSync(file)) return { reason: 'native/lanes.node was not built, probably for lack of a C compiler' }
  try {
    const native: Native = createRequire(import.meta.url)(file)
    await test(native)
    return { lanes: createLanes(native, HASHING_THREADS, HASHING_LANES) }
  } catch (error) {
    return { reason: `native/lanes.node does not work: ${reasonOf(error)}` }
  }
}

/** Each number of lanes, so that each test vector is in each lane. */
async function test ({ open }: Native) {
  const check = open(1, KNOWN.length, HASHING_PRIORITY)
  for (let first = 0; first < KNOWN.length; first++) {
    const vectors = [...KNOWN.slice(first), ...KNOWN.slice(0, first)].slice(0, KNOWN.length - first)
    const results = await Promise.all(vectors.map(([password, hash]) => check(password, hash, MIN_COST)))
    if (results.join() !== vectors.map(([, , matches]) => matches).join()) throw new Error('a known hash was wrong')
  }
}

function createLanes ({ open }: Native, threads: number, max: number): Lanes {
  const check = open(threads, max, HASHING_PRIORITY)
  return {
    max,
    accept: hash => HASH.test(hash),

    async compare ({ password, hash }, cost) {
      const bytes = Buffer.from(password)
      try {
        return await check(bytes, hash, cost)
      } finally {
        bytes.fill(0)
      }
    },
  }
}
