// npm test: starts one PostgreSQL for all test files, runs tap on it, prints a line a file and ends with the plain count.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isInstalled, OWNER_PASSWORD, startTestPostgres } from './stack.ts'

/** Each is a command and a Debian package. */
const PROGRAMS = ['redis-server', 'hydra', 'chromium']
const TAP = 'node_modules/tap/dist/esm/run.mjs'
const ends: Array<() => unknown> = []

try {
  buildTap()
  providePrograms()
  console.log('Starting PostgreSQL for the tests…')
  const postgres = await startTestPostgres({ onEnd: end => ends.unshift(end) })
  const tap = spawn(process.execPath, [TAP, '--reporter=tap', ...process.argv.slice(2)], {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...process.env, TEST_POSTGRES: postgres.url('postgres', OWNER_PASSWORD, 'postgres') },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tap.kill(signal))
  const [[code]] = await Promise.all([once(tap, 'exit'), report(tap.stdout)])
  process.exitCode = code ?? 1
} finally {
  for (const end of ends) await end()
}

/** As installed, tap has the TypeScript plugin that .taprc leaves out: it must be put together once without it. */
function buildTap () {
  const built = readFileSync('node_modules/@tapjs/test/test-built/dist/esm/index.js', 'utf8')
  if (built.includes('@tapjs/typescript')) execFileSync(process.execPath, [TAP, 'build'], { stdio: 'inherit' })
}

/** Not everything comes with npm: what is missing is installed where we may, and else the tests that need it say so. */
function providePrograms () {
  const missing = PROGRAMS.filter(program => !isInstalled(program))
  if (missing.length === 0 || process.getuid?.() !== 0 || !isInstalled('apt-get')) return
  console.log(`Installing ${missing.join(', ')} with apt-get…`)
  try {
    const install = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${missing.join(' ')}`
    execFileSync('sh', ['-c', install], { stdio: 'ignore' })
  } catch {
    console.log('That did not work: the tests that need them will be skipped.')
  }
}

/** A line for each file as it ends, and everything that a failed one said. */
async function report (output: NodeJS.ReadableStream) {
  let said: string[] = []
  let summary = ''
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('# { total:')) summary = line
    else if (!/^(not )?ok /.test(line)) said.push(line)
    else {
      if (line.startsWith('not ok')) console.log(said.filter(each => !/^\s*(ok |1\.\.|$)/.test(each)).join('\n'))
      for (const loud of new Set(said.filter(each => each.includes('# SKIP')))) console.log(loud.trim())
      console.log(line)
      said = []
    }
  }
  const count = (what: string) => Number(summary.match(new RegExp(`${what}: (\\d+)`))?.[1] ?? 0)
  console.log(`${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`)
}
