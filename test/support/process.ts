import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** The service in its own process, with only the given environment. */
export function gatehouse (
  args: string[],
  env: Record<string, string> = {},
  { cwd = '.', node = process.execPath, stdout = 'pipe' as 'pipe' | number, input = '' } = {}
) {
  const program = `${import.meta.dirname}/../../src/cli/gatehouse.js`
  const child = spawn(node, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
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
      const give = performance.now() + 30_000
      while (performance.now() < give) {
        const found = (output.stdout + output.stderr).match(pattern)
        if (found) return found
        if (child.exitCode !== null) break
        await sleep(20)
      }
      throw new Error(`${pattern} never came: ${output.stdout}${output.stderr}`)
    },
  }
}

/** Repeats a call until its result is as expected, and returns how long it took. */
export async function eventually<T> (
  ask: () => Promise<T> | T,
  wished: (answer: T) => boolean,
  limitMs: number
): Promise<T> {
  const start = performance.now()
  for (;;) {
    const answer = await ask()
    if (wished(answer)) return answer
    if (performance.now() - start > limitMs) {
      throw new Error(`not within ${limitMs} ms; last: ${JSON.stringify(answer)}`)
    }
    await sleep(25)
  }
}
