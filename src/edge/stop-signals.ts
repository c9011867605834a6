import { isRunByNpm } from '../config.ts'

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type StopSignal = typeof STOP_SIGNALS[number]

/** The terminal sends Ctrl-C to all processes in it, and npm passes on its own: the second one is no new request. */
const DUPLICATE_MS = 1_000
const PARENT_CHECK_INTERVAL = 500

/** Calls `stop` at the first signal. A later one ends the process at once. */
export function onStopSignal (stop: (signal: StopSignal) => void) {
  let stoppingSince: number | undefined
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (stoppingSince === undefined) stop(signal)
      else if (performance.now() - stoppingSince > DUPLICATE_MS) process.exit(1)
      stoppingSince ??= performance.now()
    })
  }
}

/** Stops with npm: npm passes on SIGINT and SIGTERM, but it also ends by other signals. */
export function stopWithParent () {
  if (!isRunByNpm()) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, PARENT_CHECK_INTERVAL).unref()
}
