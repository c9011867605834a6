import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const HOST = join(import.meta.dirname, 'host.ts')
/** In MB, from the start: with the default of 1, which grows, building the service collects garbage more often. */
const YOUNG_GENERATION = '--min-semi-space-size=16'
/** tap ends a process of its own accord after this time, whatever the file. */
const PROCESS_SECONDS = 86_400
/** For tap to end a file that has reached its limit, and for the process to end after its last file. */
const END_TIMEOUT = 15_000
/** Written after each file: if the process ends before that, the file has failed. */
const SUMMARY = /^# \{ (total: .*) \}$/m

export interface Result {
  file: string
  ok: boolean
  passed: number
  failed: number
  skipped: number
  seconds: number
  /** Seconds of processor time, with the processes that the file started. The shared servers are not included. */
  processor: number
  output: string
}

interface Options {
  stderr?: 'inherit' | 'ignore'
  /** For each file, in seconds. */
  limit?: number
}

/** A process for test files, which run one after the other. It needs no hooks of tap's own runner, which are slow. */
export function startTestProcess (env: NodeJS.ProcessEnv, { stderr = 'inherit', limit = 120 }: Options = {}) {
  const child = spawn(process.execPath, [YOUNG_GENERATION, HOST], {
    stdio: ['pipe', 'pipe', stderr],
    env: { ...env, TAP: '1', TAP_TIMEOUT: String(PROCESS_SECONDS), FILE_TIMEOUT: String(limit) },
  })
  const ended = once(child, 'close')
  // The process may have ended when the name of the next file is written.
  child.stdin.on('error', () => {})
  let output = ''
  let onOutput = () => {}
  child.stdout.setEncoding('utf8').on('data', chunk => {
    output += chunk
    onOutput()
  })
  const killAfter = (ms: number) => setTimeout(() => child.kill('SIGKILL'), ms)

  return {
    kill: () => child.kill(),

    get isRunning () { return child.exitCode === null && child.signalCode === null },

    async run (file: string): Promise<Result> {
      const began = performance.now()
      const hung = killAfter(limit * 1_000 + END_TIMEOUT)
      output = ''
      const summarized = new Promise<void>(resolve => {
        onOutput = () => SUMMARY.test(output) && resolve()
      })
      child.stdin.write(`${file}\n`)
      await Promise.race([summarized, ended])
      clearTimeout(hung)

      const [, summary = ''] = output.match(SUMMARY) ?? []
      const count = (what: string) => Number(summary.match(new RegExp(`${what}: ([\\d.]+)`))?.[1] ?? 0)
      const ok = summary.includes('ok: true')
      if (!summary) output += `\nnot ok - ${file} ended with ${child.signalCode ?? child.exitCode}\n`
      return {
        file,
        ok,
        passed: count('pass'),
        failed: ok ? 0 : Math.max(1, count('fail')),
        skipped: count('skip'),
        seconds: (performance.now() - began) / 1_000,
        processor: count('processor'),
        output,
      }
    },

    /** Whether it ended by itself: no test has left a server or a timer behind. */
    async end (): Promise<boolean> {
      const hung = killAfter(END_TIMEOUT)
      child.stdin.end()
      const [code] = await ended
      clearTimeout(hung)
      return code === 0
    },
  }
}

/** Takes one file after the other from the list. True if the process then ended by itself. */
export async function runFiles (
  files: string[],
  limit: number,
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
  add: (result: Result) => void
): Promise<boolean> {
  let host = startTestProcess(env, { limit })
  stopping.addEventListener('abort', () => host.kill(), { once: true })
  for (let file = files.shift(); file && !stopping.aborted; file = files.shift()) {
    if (!host.isRunning) host = startTestProcess(env, { limit })
    add(await host.run(file))
  }
  return host.end()
}
