import bcrypt from 'bcrypt'
import type { Check, Lanes } from './lanes.ts'
import { costsOfRounds, createMeasuredWork } from './measured-work.ts'
import { costOf, dummyHash } from './schemes/bcrypt.ts'
import type { ForeignHash } from './schemes/foreign-hash.ts'

const MAX_COST = 15
/** Some 17 ms: long enough to be measured, short enough to wait for. */
const CALIBRATION_COST = 8
const CALIBRATIONS = 3

/** Unless it matches, it takes as long as bcrypt at `cost`. */
async function compareAlone ({ password, hash }: Check, cost: number): Promise<boolean> {
  if (await bcrypt.compare(password, hash)) return true
  // Each cost step doubles the time: these comparisons add up to what a cheaper hash saved.
  for (let step = costOf(hash); step < cost; step++) await bcrypt.compare('', dummyHash(step))
  return false
}

/**
 * Checks passwords so that each wrong one takes as long as bcrypt at `cost`, whatever the scheme and the cost of its
 * hash. A foreign hash that takes longer raises `cost`, so that all wrong ones take as long as that one.
 */
export function createVerifier (configured: number, lanes?: Lanes) {
  const smallest = Math.min(configured, CALIBRATION_COST)
  const work = createMeasuredWork(smallest)
  let ofBcrypt = configured
  let cost = configured

  /** Other work of the machine can have made the first measurements too long: then later ones lower it. */
  function adjust () {
    const needed = Math.ceil(Math.log2(work.mostRounds))
    cost = Math.min(MAX_COST, Math.max(ofBcrypt, needed))
  }

  const compare = (check: Check, cost: number) =>
    lanes?.accept(check.hash) ? lanes.compare(check, cost) : compareAlone(check, cost)

  async function pad (costs: number[]) {
    for (const step of costs) {
      await work.timeBcrypt(step, () => compare({ password: '', hash: dummyHash(step) }, step))
    }
  }

  return {
    get cost () { return cost },

    async compareBcrypt (check: Check): Promise<boolean> {
      const own = costOf(check.hash)
      return own < cost ? compare(check, cost) : work.timeBcrypt(own, () => compare(check, cost))
    },

    async compareForeign (password: string, foreign: ForeignHash): Promise<boolean> {
      if (!work.isCalibrated) await pad(Array<number>(CALIBRATIONS).fill(smallest))
      if (await work.timeForeign(foreign.sample, () => foreign.verify(password))) return true
      await pad(costsOfRounds(2 ** cost - work.roundsOf(foreign.sample)))
      adjust()
      return false
    },

    /** Measures how long the check of such a hash takes, before one is needed. */
    async calibrate (foreign: ForeignHash) {
      for (let time = 0; time < CALIBRATIONS; time++) {
        await pad([smallest])
        await work.timeForeign(foreign.sample, () => foreign.verify(''))
      }
      adjust()
    },

    /** There are hashes of bcrypt with this cost. */
    raiseTo (needed: number) {
      ofBcrypt = Math.max(ofBcrypt, needed)
      adjust()
    },
  }
}
