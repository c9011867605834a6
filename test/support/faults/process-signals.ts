import { readdirSync, readFileSync } from 'node:fs'

/** Read from /proc. */
export function childrenOf (parent: number): number[] {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number).filter(pid => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\) \S (\d+)/)?.[1]) === parent
    } catch {
      return false
    }
  })
}

export function isRunning (pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie does not count as running.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

export function signalIfRunning (pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {}
}
