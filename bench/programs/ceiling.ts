// The most that this machine can verify: bcrypt on every core, and nothing beside it. Prints how many in a second.
import bcrypt from 'bcrypt'
import { steadyRate } from '../load/tally.ts'

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

// Twice as many as cores: no core waits for the next to be asked for.
await Promise.all(Array.from({ length: cores * 2 }, verifyOn))
console.log(steadyRate(finished, began, ends))
