import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'

// $1 is the signal that stops the program. The watcher reads a pipe that only this process holds open. When this
// process ends, even by SIGKILL, the pipe closes: the watcher sends the signal, then SIGCONT in case the program is
// suspended, and SIGKILL after 15 s.
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

/** Starts a program that never outlives this process. Its own process group keeps Ctrl-C from reaching it. */
export function spawnTethered (command: string[], signal: string, output: number | 'ignore' = 'ignore'): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', signal, ...command], {
    stdio: ['ignore', output, output, 'pipe'],
    detached: true,
  })
  const tether = child.stdio[3] as Socket
  tether.unref()
  child.unref()
  child.once('exit', () => tether.destroy())
  return child
}
