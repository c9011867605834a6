import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'

// $1 is the signal that ends the program. The watcher reads a pipe that only we hold open: when we end, even by SIGKILL,
// the pipe closes and the program is told to stop, to wake up if it was frozen, and after 15 s is not asked any more.
const SCRIPT = `
  signal=$1; shift; pid=$$
  (
    {
      cat
      kill -s "$signal" "$pid" && kill -s CONT "$pid"
      for tenth in $(seq 150); do kill -s 0 "$pid" || exit; sleep 0.1; done
      kill -s KILL "$pid"
    } <&3 >/dev/null 2>&1 &
  )
  exec "$@" 3<&-`

/** Starts a program that never outlives this process. It has its own process group: Ctrl-C is ours to handle. */
export function spawnTethered (command: string[], signal: string, output: number | 'ignore' = 'ignore'): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', signal, ...command], { stdio: ['ignore', output, output, 'pipe'], detached: true })
  const tether = child.stdio[3] as Socket
  tether.unref()
  child.unref()
  child.once('exit', () => tether.destroy())
  return child
}
