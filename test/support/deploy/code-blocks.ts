import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { freePort } from '../../../demo/free-port.ts'
import { eventually } from '../patience.ts'
import { answers } from './front-end.ts'

/** The code blocks of a document, in their order, each with the heading above it. A block in a list is indented. */
export function codeBlocks (file: string): Array<{ language: string, code: string, heading: string }> {
  let heading = ''
  const parts = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$|^( *)```(\w+)\n([^]*?)^ *```$/gm)
  return [...parts].flatMap(([, title, indent = '', language = '', code = '']) => {
    heading = title ?? heading
    return title ? [] : [{ language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), heading }]
  })
}

/** Runs the code of a server as it is printed: only what is named is replaced, and its port. Returns the new port. */
export async function runServer (
  t: Test,
  code: string,
  replaced: Record<string, string> = {},
  env: Record<string, string> = {}
): Promise<number> {
  const port = await freePort()
  let source = code.replace(/\.listen\((\{ port: )?\d+/, `.listen($1${port}`)
  for (const [what, by] of Object.entries(replaced)) {
    if (!source.includes(what)) throw new Error(`the code has no ${what}`)
    source = source.replaceAll(what, by)
  }
  await startServer(t, [process.execPath, '--input-type=module', '--eval', source], port, { env })
  return port
}

interface ServerOptions { env?: Record<string, string>, cwd?: string, signal?: NodeJS.Signals }

/** Starts a program, and waits until it accepts connections. `signal` stops it: not SIGKILL if it has children. */
export async function startServer (
  t: Test,
  [program = '', ...args]: string[],
  port: number,
  { env = {}, cwd = '.', signal = 'SIGKILL' }: ServerOptions = {}
) {
  const server = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(server, 'exit')
  t.teardown(async () => {
    server.kill(signal)
    await ended
  })
  await eventually(
    () => {
      if (server.exitCode !== null) throw new Error('the server has ended')
      return answers(port)
    },
    Boolean
  )
}
