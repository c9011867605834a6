import t from 'tap'
import { withoutRedis } from '../helper.ts'
import { proveHistory } from './prove-history.ts'

proveHistory(t, { seed: 8, steps: 100, people: 4, mailPatience: 40_000 }, withoutRedis)
