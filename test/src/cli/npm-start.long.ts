import t from 'tap'
import { createCheckout, testSignal } from '../../support/cli/npm-start.ts'

const SIGNALS = {
  npm: ['SIGINT', 'SIGHUP'],
  'the service': ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'],
  'the process group': ['SIGTERM', 'SIGKILL'],
} as const
const dir = createCheckout(t)

for (const [who, signals] of Object.entries(SIGNALS)) {
  for (const signal of signals) testSignal(t, signal, who, dir)
}
