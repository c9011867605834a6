import t from 'tap'
import {
  createCheckout, isListening, npmStart, processesOf, spawnNpmStart, testSignal, untilNoneOf,
} from '../../support/cli/npm-start.ts'
import { eventually } from '../../support/patience.ts'

const dir = createCheckout(t)

for (const [signal, empty] of [['SIGTERM', dir], ['SIGKILL', createCheckout(t)]] as const) {
  t.test(`npm start: ${signal} to npm during the first start leaves no process, the next start works`, async t => {
    const { npm } = spawnNpmStart(t, empty)
    await eventually(() => processesOf(empty), all => all.some(({ command }) => command.includes('initdb')))
    process.kill(npm, signal)
    await untilNoneOf(empty)
    const started = await npmStart(t, empty)
    t.strictSame(await Promise.all(started.ports.map(isListening)), [true, true], 'the next start works')
    await testSignal(t, signal, 'npm', empty, started)
  })
}

// As Ctrl-C and a closed terminal do. npm-start.long.ts has the other signals.
for (const signal of ['SIGINT', 'SIGHUP'] as const) testSignal(t, signal, 'the process group', dir)
