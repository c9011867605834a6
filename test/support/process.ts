import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually, inTime } from './patience.ts'
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
    get ended () { return inTime(ended, `the end of \`gatehouse ${args.join(' ')}\``) },
    async until (pattern: RegExp): Promise<RegExpMatchArray> {
      const isThere = () => pattern.test(output.stdout + output.stderr) || child.exitCode !== null
      await eventually(isThere, Boolean).catch(() => {})
      const found = (output.stdout + output.stderr).match(pattern)
      if (found) return found
      throw new Error(`${pattern} never came: ${output.stdout}${output.stderr}`)
    },
  }
}
