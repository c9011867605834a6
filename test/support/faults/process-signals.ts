import { readdirSync, readFileSync } from 'node:fs'

/** Linux tells in /proc. */
export function childrenOf (parent: number): number[] {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number).filter(pid => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\) \S (\d+)/)?.[1]) === parent
    } catch {
      return false
    }
  })
}

export function isThere (pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that nobody has waited for yet is gone all the same.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

export function signalIfThere (pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {}
}
