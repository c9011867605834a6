// FAULT_SEED and FAULT_STEPS choose the run; a failing one prints both.
import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { checkHistory } from '../support/faults/check-history.ts'

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 1e6))
const steps = Number(process.env.FAULT_STEPS ?? 1_500)

t.setTimeout(900_000)
checkHistory(t, { seed, steps, users: 6, mailTimeout: 120_000 }, withoutRedis)
