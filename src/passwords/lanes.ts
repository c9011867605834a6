import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'

export interface Check { password: string, hash: string }

/** Checks several passwords in one thread, interleaved: native/bcrypt.h says why. */
export interface Lanes {
  max: number
  /** All checks take as long as one of this cost. */
  cost: number
  /** Whether a check can run with others: its hash is as bcrypt writes it, and not more expensive than `cost`. */
  accept (check: Check): boolean
  run (checks: Check[]): Promise<boolean[]>
}

interface Native { check (passwords: Buffer[], hashes: string[], cost: number): Promise<boolean[]> }

const FILE = fileURLToPath(new URL('../../native/lanes.node', import.meta.url))
/** The last characters of the salt and of the digest have spare bits, which are zero. */
const HASH = /^\$2[ab]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/
const MIN_COST = 4

/** Published test vectors, one with 8-bit characters, a hash of another cost and version, and a wrong password. */
const KNOWN: Array<[password: Buffer, hash: string, matches: boolean]> = [
  [Buffer.from('U*U'), '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', true],
  [Buffer.from('known-Answer'), '$2b$04$I3ArRWBRTgw/NtV9nLlUPuAh.S9kOkhfYW6R9R5NTPi8STzOC0ZAK', true],
  [Buffer.from('U*U'), '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK', false],
  [Buffer.from('ffffa3', 'hex'), '$2a$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e', true],
]

type Settings = Pick<Config, 'BCRYPT_COST' | 'HASHING_LANES'>

/** Without lanes, `reason` says why, unless the settings do not want any. */
export async function loadLanes (
  { BCRYPT_COST, HASHING_LANES }: Settings,
  file = FILE
): Promise<{ lanes?: Lanes, reason?: string }> {
  if (HASHING_LANES === 1) return {}
  if (!existsSync(file)) return { reason: 'native/lanes.node was not built, probably for lack of a C compiler' }
  try {
    const native: Native = createRequire(import.meta.url)(file)
    await test(native)
    return { lanes: createLanes(native, BCRYPT_COST, HASHING_LANES) }
  } catch (error) {
    return { reason: `native/lanes.node does not work: ${reasonOf(error)}` }
  }
}

/** Each number of lanes, so that each test vector is in each lane. */
async function test ({ check }: Native) {
  for (let first = 0; first < KNOWN.length; first++) {
    const vectors = [...KNOWN.slice(first), ...KNOWN.slice(0, first)].slice(0, Math.max(2, KNOWN.length - first))
    const results = await check(vectors.map(([password]) => password), vectors.map(([, hash]) => hash), MIN_COST)
    if (results.join() !== vectors.map(([, , matches]) => matches).join()) throw new Error('a known hash was wrong')
  }
}

function createLanes ({ check }: Native, cost: number, max: number): Lanes {
  const lanes: Lanes = {
    max,
    cost,

    accept ({ hash }) {
      const found = Number(HASH.exec(hash)?.[1])
      return found >= MIN_COST && found <= lanes.cost
    },

    run (checks) {
      const passwords = checks.map(({ password }) => Buffer.from(password))
      try {
        return check(passwords, checks.map(({ hash }) => hash), lanes.cost)
      } finally {
        for (const password of passwords) password.fill(0)
      }
    },
  }
  return lanes
}
