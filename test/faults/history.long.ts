// FAULT_SEED and FAULT_STEPS choose the run; a failing one prints both.
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { proveHistory } from '../support/faults/check-history.ts'

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 1e6))
const steps = Number(process.env.FAULT_STEPS ?? 1_500)

t.setTimeout(900_000)
proveHistory(t, { seed, steps, people: 6, mailPatience: 120_000 }, withoutRedis)
