import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Stops a test that hangs. Far above what any takes on a busy machine: it measures nothing. */
const TIMEOUT_SECONDS = 1_000

export interface Result {
  file: string
  ok: boolean
  passed: number
  failed: number
  skipped: number
  seconds: number
  output: string
}

/** Runs one test file with plain Node: the hooks of tap's own runner double the time that a file takes to load. */
export async function runFile (file: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Result> {
  const began = performance.now()
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, TAP: '1', TAP_TIMEOUT: String(TIMEOUT_SECONDS) },
  })
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  const hung = setTimeout(() => child.kill('SIGKILL'), (TIMEOUT_SECONDS + 60) * 1_000)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', chunk => { output += chunk })
  const [code, killedBy] = await once(child, 'close')
  clearTimeout(hung)
  signal.removeEventListener('abort', stop)

  // The last thing that tap says is the sum of all assertions: a process that ended before that has failed.
  const [, summary] = output.match(/^# \{ (total: .*) \}$/m) ?? []
  const count = (what: string) => Number(summary?.match(new RegExp(`${what}: (\\d+)`))?.[1] ?? 0)
  const ok = code === 0 && summary !== undefined && count('fail') === 0
  if (!ok && count('fail') === 0) output += `\nnot ok - ${file} ended with ${killedBy ?? code}\n`
  return {
    file,
    ok,
    passed: count('pass'),
    failed: ok ? 0 : Math.max(1, count('fail')),
    skipped: count('skip'),
    seconds: (performance.now() - began) / 1_000,
    output,
  }
}
