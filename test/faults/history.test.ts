import t from 'tap'
import { withoutRedis } from '../support/build.ts'
import { proveHistory } from '../support/faults/check-history.ts'

proveHistory(t, { seed: 8, steps: 100, people: 4, mailPatience: 40_000 }, withoutRedis)
