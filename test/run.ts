// npm test: starts one PostgreSQL for all test files, runs tap, prints a line for each file and the totals.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { providePrograms } from '../demo/programs.ts'
import { OWNER_PASSWORD, startTestPostgres } from './support/stack.ts'

/** What the tests in these files ask for. */
const PROGRAMS: Array<[files: RegExp, programs: string[]]> = [
  [/./, ['redis-server', 'hydra']],
  [/pages\//, ['chromium']],
  [/faults\/.*\.long/, ['faketime']],
  [/attacks\/.*\.long/, ['sqlmap', 'slowhttptest']],
  [/deploy\/.*\.long/, ['nginx', 'openssl', 'sslscan']],
]
/** Browsers, attacks, and commands by the dozen, take minutes: these run by scripts of their own. */
const APART = /^test\/(attacks|pages|src\/cli)\//
const asked = process.argv.slice(2)
// The longest first, as far as their size tells: none is left to run alone at the end.
const files =
  asked.length > 0
    ? asked
    : globSync('test/**/*.test.ts')
      .filter(file => !APART.test(file))
      .sort((a, b) => statSync(b).size - statSync(a).size)
const TAP = 'node_modules/tap/dist/esm/run.mjs'
const ends: Array<() => unknown> = []

try {
  buildTap()
  providePrograms(
    PROGRAMS.filter(([pattern]) => files.some(file => pattern.test(file))).flatMap(([, programs]) => programs)
  )
  console.log('Starting PostgreSQL for the tests…')
  const postgres = await startTestPostgres({ onEnd: end => ends.unshift(end) })
  const tap = spawn(process.execPath, [TAP, '--reporter=tap', ...files], {
    stdio: ['inherit', 'pipe', 'inherit'],
    // Each test file is a process that loads the whole service: what one has compiled the next need not.
    env: {
      NODE_COMPILE_CACHE: '.tap/compiled',
      ...process.env,
      TEST_POSTGRES: postgres.url('postgres', OWNER_PASSWORD, 'postgres'),
    },
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
