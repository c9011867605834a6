import { createRequire } from 'node:module'
import { randomInt } from 'node:crypto'
import bcrypt from 'bcrypt'
import { malformedHash, randomSample, type Sample } from './random-checks.ts'

export type NativeCheck = (password: Buffer, hash: string, cost: number) => Promise<boolean>
export interface Native { open (threads: number, lanes: number, nice: number): NativeCheck }

export const LANES = new URL('../../../native/lanes.node', import.meta.url).pathname
export const loadNative = (file = LANES): Native => createRequire(import.meta.url)(file)

/** One thread with four lanes. */
export const openLanes = (native = loadNative()): NativeCheck => native.open(1, 4, 0)

export const inLanes = (check: NativeCheck, samples: Array<Omit<Sample, 'matches'>>, cost = 4): Promise<boolean[]> =>
  Promise.all(samples.map(({ password, hash }) => check(password, hash, cost)))

const describe = ({ password, hash, matches }: Sample) => `${password.toString('hex')} ${hash} ${matches}`

/** Checks so many random passwords with lanes. Returns those about which they and `bcrypt` disagree. */
export async function disagreements (check: NativeCheck, count: number, randomCost: () => number): Promise<string[]> {
  const wrong: string[] = []
  for (let done = 0; done < count;) {
    // With more than four, lanes are filled again while others go on.
    const samples = await Promise.all(Array.from({ length: 1 + randomInt(9) }, () => randomSample(randomCost())))
    const results = await Promise.all(
      samples.map(({ password, hash }) => check(password, hash, 4 + randomInt(3))))
    wrong.push(...samples.filter(({ matches }, lane) => results[lane] !== matches).map(describe))
    done += samples.length
  }
  return wrong
}

/**
 * Malformed hashes about which lanes and `bcrypt` disagree. Most are refused with a TypeError,
 * as are those of the version `$2$`, which the package knows and the service does not.
 */
export async function malformedHashesThatMatch (check: NativeCheck, count: number): Promise<string[]> {
  const { password, hash } = await randomSample(4)
  const wrong: string[] = []
  for (let done = 0; done < count; done++) {
    const sample = { password, hash: malformedHash(hash) }
    const matches = await bcrypt.compare(password, sample.hash)
    try {
      const [result] = await inLanes(check, [sample])
      if (result !== matches) wrong.push(describe({ ...sample, matches }))
    } catch (error) {
      const isRefusal = error instanceof TypeError && (!matches || sample.hash.startsWith('$2$'))
      if (!isRefusal) wrong.push(`${describe({ ...sample, matches })}: ${error}`)
    }
  }
  return wrong
}
