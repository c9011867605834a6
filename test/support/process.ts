import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readServers } from './servers/servers.ts'

/** The sources. They take longer to start than what is built from them. */
export const SOURCE = join(import.meta.dirname, '../../bin/main.js')
export const PROGRAM = readServers()?.program ?? SOURCE

/** The service in its own process, with only the given environment. */
export function gatehouse (
  args: string[],
  env: Record<string, string> = {},
  { cwd = '.', node = process.execPath, program = PROGRAM, stdout = 'pipe' as 'pipe' | number, input = '' } = {}
) {
  const child = spawn(node, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: [input ? 'pipe' : 'ignore', stdout, 'pipe'],
  })
  child.stdin?.end(input)
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', chunk => {
    output.stdout += chunk
  })
  child.stderr?.on('data', chunk => {
    output.stderr += chunk
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }))

  return {
    child,
    output,
    ended,
    async until (pattern: RegExp): Promise<RegExpMatchArray> {
      const limit = performance.now() + 30_000 * BUSY
      while (performance.now() < limit) {
        const found = (output.stdout + output.stderr).match(pattern)
        if (found) return found
        if (child.exitCode !== null) break
        await sleep(20)
      }
      throw new Error(`${pattern} never came: ${output.stdout}${output.stderr}`)
    },
  }
}

/** How many times slower than an idle machine a busy one may be before a wait counts as a hang. */
export const BUSY = 20

/** Repeats a call until its result is as expected. On an idle machine that takes less than `usualMs`. */
export async function eventually<T> (
  ask: () => Promise<T> | T,
  wished: (answer: T) => boolean,
  usualMs: number
): Promise<T> {
  const limit = performance.now() + usualMs * BUSY
  for (;;) {
    const answer = await ask()
    if (wished(answer)) return answer
    if (performance.now() > limit) throw new Error(`not within ${usualMs * BUSY} ms; last: ${JSON.stringify(answer)}`)
    await sleep(25)
  }
}
