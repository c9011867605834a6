import t from 'tap'
import {
  createCheckout, isListening, npmStart, processesOf, spawnNpmStart, untilNoneOf,
} from '../../support/cli/npm-start.ts'
import { eventually } from '../../support/patience.ts'

type Started = Awaited<ReturnType<typeof npmStart>>

const TARGETS: Array<[who: string, pid: (started: Started) => number]> = [
  ['npm', ({ npm }) => npm],
  ['the service', ({ service }) => service],
  // As Ctrl-C and a closed terminal do.
  ['the process group', ({ npm }) => -npm],
]

const dir = createCheckout(t)

for (const [who, pid] of TARGETS) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
    t.test(`npm start: ${signal} to ${who} leaves no process and no open port`, async t => {
      const started = await npmStart(t, dir)
      t.strictSame(await Promise.all(started.ports.map(isListening)), [true, true])
      t.ok(processesOf(dir).some(({ command }) => command.includes('postgres -D')), 'its PostgreSQL runs')
      process.kill(pid(started), signal)
      await untilNoneOf(dir)
      t.strictSame(await Promise.all(started.ports.map(isListening)), [false, false])
      t.notMatch(started.output(), /uncaught error/)
      // The service stops in order even if the signal comes twice: npm reports a service that does not.
      if (signal === 'SIGTERM' || signal === 'SIGINT') t.notMatch(started.output(), /npm error/)
    })
  }
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  t.test(`npm start: ${signal} to npm during the first start leaves no process, the next start works`, async t => {
    const empty = createCheckout(t)
    const { npm } = spawnNpmStart(t, empty)
    await eventually(() => processesOf(empty), all => all.some(({ command }) => command.includes('initdb')), 15_000)
    process.kill(npm, signal)
    await untilNoneOf(empty)
    const { ports } = await npmStart(t, empty)
    t.strictSame(await Promise.all(ports.map(isListening)), [true, true], 'the next start works')
  })
}
