// Our native code on every core, and nothing else. Prints the verifications a second.
import bcrypt from 'bcrypt'
import { loadLanes } from '../../../src/passwords/lanes.ts'
import { steadyRate } from '../../load/tally.ts'

const [cost, seconds, cores] = process.argv.slice(2).map(Number) as [number, number, number]
const { lanes, reason } = await loadLanes({ HASHING_LANES: 4, HASHING_THREADS: cores })
if (!lanes) throw new Error(reason)
const password = 'tr0mbone-Under-glass!'
const hash = await bcrypt.hash(password, cost)
const began = performance.now()
const ends = began + seconds * 1_000
const finished: number[] = []

async function verifyOn () {
  while (performance.now() < ends) {
    await lanes?.compare({ password, hash }, cost)
    finished.push(performance.now())
  }
}

// Twice as many as lanes, so that no lane waits for the next one.
await Promise.all(Array.from({ length: cores * lanes.max * 2 }, verifyOn))
console.log(steadyRate(finished, began, ends))
