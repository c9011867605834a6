import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { checkHistory } from '../support/faults/check-history.ts'

checkHistory(t, { seed: 8, steps: 100, users: 4, mailTimeout: 30_000 }, withoutRedis)
