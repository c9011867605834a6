import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const HOST = join(import.meta.dirname, 'host.ts')
/** In MB, from the start: with the default of 1, which grows, building the service collects garbage more often. */
const YOUNG_GENERATION = '--min-semi-space-size=16'
/** For files beside which others need a quiet machine. Hashing threads have 10, a lower priority. */
const NICENESS = 9
/** Stops a test that hangs. Far above what any takes on a busy machine: it measures nothing. */
const TIMEOUT_SECONDS = 2_000
/** tap ends a process of its own accord after this time, whatever the file. A run of all suites takes half an hour. */
const PROCESS_SECONDS = 86_400
/** For the process to end after its last file. */
const END_TIMEOUT = 120_000
/** Written after each file: if the process ends before that, the file has failed. */
const SUMMARY = /^# \{ (total: .*) \}$/m

export interface Result {
  file: string
  ok: boolean
  passed: number
  failed: number
  skipped: number
  seconds: number
  output: string
}

/** A process for test files, which run one after the other. It needs no hooks of tap's own runner, which are slow. */
export function startTestProcess (
  env: NodeJS.ProcessEnv,
  { isLow = false, stderr = 'inherit' as 'inherit' | 'ignore' } = {}
) {
  const child = spawn('nice', ['-n', String(isLow ? NICENESS : 0), process.execPath, YOUNG_GENERATION, HOST], {
    stdio: ['pipe', 'pipe', stderr],
    env: { ...env, TAP: '1', TAP_TIMEOUT: String(PROCESS_SECONDS), FILE_TIMEOUT: String(TIMEOUT_SECONDS) },
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
      const hung = killAfter((TIMEOUT_SECONDS + 60) * 1_000)
      output = ''
      const summarized = new Promise<void>(resolve => {
        onOutput = () => SUMMARY.test(output) && resolve()
      })
      child.stdin.write(`${file}\n`)
      await Promise.race([summarized, ended])
      clearTimeout(hung)

      const [, summary = ''] = output.match(SUMMARY) ?? []
      const count = (what: string) => Number(summary.match(new RegExp(`${what}: (\\d+)`))?.[1] ?? 0)
      const ok = summary.includes('ok: true')
      if (!summary) output += `\nnot ok - ${file} ended with ${child.signalCode ?? child.exitCode}\n`
      return {
        file,
        ok,
        passed: count('pass'),
        failed: ok ? 0 : Math.max(1, count('fail')),
        skipped: count('skip'),
        seconds: (performance.now() - began) / 1_000,
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

export interface Lane {
  lists: string[][]
  /** Whether others go first. */
  isLow: boolean
}

/** Takes one file after the other, from the first list that has one. True if the process then ended by itself. */
export async function runLane (
  { lists, isLow }: Lane,
  env: NodeJS.ProcessEnv,
  stopping: AbortSignal,
  add: (result: Result) => void
): Promise<boolean> {
  let host = startTestProcess(env, { isLow })
  stopping.addEventListener('abort', () => host.kill(), { once: true })
  const next = () => lists.find(files => files.length > 0)?.shift()
  for (let file = next(); file && !stopping.aborted; file = next()) {
    if (!host.isRunning) host = startTestProcess(env, { isLow })
    add(await host.run(file))
  }
  return host.end()
}
