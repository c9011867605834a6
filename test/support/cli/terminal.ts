import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'
import { eventually } from '../patience.ts'
import { PROGRAM } from '../process.ts'
import { showOnScreen } from './screen.ts'

/** Printed by the shell after the command. */
const END = /\[exit (\d+), echo (on|off)\]/

interface Options {
  cwd?: string
  columns?: number
}

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/** The command in a pseudo-terminal, which `script` opens and a shell with an ordinary echo shares with it. */
export function openTerminal (
  t: Test,
  args: string[],
  env: Record<string, string> = {},
  { cwd = '.', columns = 80 }: Options = {}
) {
  const command = [process.execPath, PROGRAM, ...args].map(quote).join(' ')
  const shell = `stty cols ${columns} rows 24; ${command}; code=$?
    case $(stty -a) in *" -echo "* | *" -icanon "*) echo=off;; *) echo=on;; esac
    echo "[exit $code, echo $echo]"`
  const child = spawn('script', ['--quiet', '--flush', '--command', shell, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, TERM: 'xterm', ...env },
  })
  const closed = once(child, 'close')
  t.teardown(() => {
    child.kill('SIGKILL')
    return closed
  })
  let received = ''
  child.stdout.setEncoding('utf8').on('data', chunk => { received += chunk })
  const screen = () => showOnScreen(received, columns)

  return {
    /** Every byte that the terminal got, also what was erased later. */
    received: () => received,
    /** Waits until the terminal shows exactly these lines. */
    shows: (...lines: string[]) => eventually(screen, shown => isDeepStrictEqual(shown, lines)),
    type: (keys: string) => child.stdin.write(keys),
    /** What the terminal shows at the end, the exit code, and whether the terminal echoes again. */
    async ended () {
      await closed
      const [, code, echo] = END.exec(received) as RegExpExecArray
      return { code: Number(code), echo, lines: screen().slice(0, -2) }
    },
  }
}
