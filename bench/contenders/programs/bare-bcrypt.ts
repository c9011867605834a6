// The bcrypt package on every core, and nothing else. Prints the verifications a second.
import bcrypt from 'bcrypt'
import { steadyRate } from '../../load/tally.ts'

const [cost, seconds] = process.argv.slice(2).map(Number)
const cores = Number(process.env.UV_THREADPOOL_SIZE)
const hash = await bcrypt.hash('tr0mbone-Under-glass!', cost as number)
const began = performance.now()
const ends = began + Number(seconds) * 1_000
const finished: number[] = []

async function verifyOn () {
  while (performance.now() < ends) {
    await bcrypt.compare('tr0mbone-Under-glass!', hash)
    finished.push(performance.now())
  }
}

// Twice as many as cores, so that no core waits for the next one.
await Promise.all(Array.from({ length: cores * 2 }, verifyOn))
console.log(steadyRate(finished, began, ends))
