// npm test [-- SUITE… | FILE…]: starts one PostgreSQL and one Redis for all test files, runs them in a few
// processes, prints a line for each and ends with the plain count.
// `--list` shows the suites and their files, `--install` only installs the programs that they need.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { providePrograms } from '../../demo/programs.ts'
import { unprovenCitations } from '../asvs/citations.ts'
import { startServers } from '../support/servers/start.ts'
import { batchesOf, findSuites } from './suites.ts'
import { runLane, type Lane, type Result } from './test-process.ts'
import { addResults, readTap } from './test-results.ts'

/** The programs that tests in these files need. */
const PROGRAMS: Array<[files: RegExp, programs: string[]]> = [
  [/./, ['redis-server', 'hydra', 'gcc', 'libc6-dev']],
  [/^test\/(pages\/|engines\/chromium|deploy\/(add-sign-in|openid))/, ['chromium-headless-shell']],
  [/pages\/weight/, ['chromium']],
  [/pages\/device-/, ['chromium', 'openssl']],
  [/engines\/firefox/, ['firefox-esr']],
  [/engines\/webkit/, ['WebKitWebDriver', 'Xvfb']],
  [/cli\/doctor/, ['openssl']],
  [/faults\/.*\.long/, ['faketime']],
  [/attacks\/.*\.long/, ['sqlmap', 'slowhttptest']],
  [/deploy\/.*\.long/, ['nginx', 'caddy', 'openssl', 'sslscan', 'systemd-analyze', 'pg_ctlcluster']],
  [/deploy\/.*(postgres|failover|zone)/, ['haproxy']],
  [/deploy\/pgbouncer/, ['pgbouncer']],
  [/deploy\/debian/, ['curl', 'npm', 'git']],
  [/deploy\/openid-python/, ['python3', 'python3-authlib', 'python3-flask', 'python3-requests']],
  [/deploy\/openid-apache/, ['apache2-bin', 'libapache2-mod-auth-openidc', 'libapache2-mod-oauth2']],
  [/deploy\/integrating/, [
    'golang-go', 'golang-github-golang-jwt-jwt-dev', 'python3', 'python3-jwt', 'python3-cryptography',
  ]],
]
const BESIDE_JOBS = 2
/** Whatever the number of cores: the times that they check leave little room. */
const AHEAD_JOBS = 2
const TAP = 'node_modules/tap/dist/esm/run.mjs'

const suites = findSuites()
const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    jobs: { type: 'string' },
  },
})

if (options.list) list()
else if (options.install) install(chosen())
else await run()

function list () {
  for (const [name, { about, files }] of Object.entries(suites)) {
    console.log(`npm test -- ${name}    ${about}`)
    for (const file of files) console.log(`  ${file}`)
  }
}

/** The files of the suites that were asked for, and those that were named themselves. */
function chosen (): string[] {
  const asked = names.length === 0 ? ['quick'] : names.includes('all') ? Object.keys(suites) : names
  return [...new Set(asked.flatMap(name => suites[name]?.files ?? [relative('.', name)]))]
}

function install (files: string[]) {
  providePrograms(
    PROGRAMS.filter(([pattern]) => files.some(file => pattern.test(file))).flatMap(([, programs]) => programs)
  )
}

async function run () {
  const ends: Array<() => unknown> = []
  const onEnd = (end: () => unknown) => ends.unshift(end)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  try {
    const files = chosen()
    buildTap()
    install(files)
    buildLanes()
    console.log('Starting PostgreSQL and Redis for the tests…')
    await startServers(process.pid, { onEnd })
    // Many processes load the whole service: what one has compiled the next need not.
    const env = { NODE_COMPILE_CACHE: resolve('.tap/compiled'), ...process.env }
    const results: Result[] = []
    const add = (result: Result) => report(result, results.push(result))
    let allEnded = true
    for (const batch of batchesOf(files, options.jobs ? Number(options.jobs) : undefined)) {
      const { files: waiting, beside, ahead, jobs } = batch
      const isLow = ahead.length > 0
      const lanes: Lane[] = [
        ...Array(Math.min(AHEAD_JOBS, ahead.length)).fill({ lists: [ahead], isLow: false }),
        ...Array(Math.min(jobs, waiting.length)).fill({ lists: [waiting, beside], isLow }),
        ...Array(Math.min(BESIDE_JOBS, beside.length)).fill({ lists: [beside, waiting], isLow }),
      ]
      const ended = await Promise.all(lanes.map(lane => runLane(lane, env, stopping.signal, add)))
      allEnded &&= ended.every(Boolean)
    }
    const unproven = checkCitations(files, results)
    const sum = (what: 'passed' | 'failed' | 'skipped') => results.reduce((total, each) => total + each[what], 0)
    console.log(`${sum('passed')} passed, ${sum('failed') + unproven} failed, ${sum('skipped')} skipped`)
    if (!allEnded) console.log('not ok - a test left something behind that keeps its process alive')
    const ok = results.every(({ ok }) => ok) && unproven === 0 && allEnded && !stopping.signal.aborted
    process.exitCode = ok ? 0 : 1
  } finally {
    for (const end of ends) await end()
  }
}

/** As installed, tap loads plugins that .taprc leaves out: it must be put together once without them. */
function buildTap () {
  const built = readFileSync('node_modules/@tapjs/test/test-built/dist/esm/index.js', 'utf8')
  if (built.includes('@tapjs/mock')) execFileSync(process.execPath, [TAP, 'build'], { stdio: 'inherit' })
}

/** `npm ci` has built it, unless there was no compiler yet. */
function buildLanes () {
  if (!existsSync('native/lanes.node')) execFileSync(process.execPath, ['native/build.js'], { stdio: 'inherit' })
}

/** A line for each file as it ends, everything that a failed one said, and what was skipped. */
function report ({ file, ok, output, seconds }: Result, number: number) {
  const lines = output.split('\n')
  if (!ok) console.log(lines.filter(line => !/^\s*(ok |1\.\.|$)/.test(line)).join('\n'))
  for (const line of new Set(lines.filter(each => each.includes('# SKIP')))) console.log(line.trim())
  console.log(`${ok ? 'ok' : 'not ok'} ${number} - ${file} # ${seconds.toFixed(1)} s`)
}

/** Every test in these files that the ASVS map cites must have passed. TEST_RUN joins the results of several suites. */
function checkCitations (files: string[], results: Result[]): number {
  const tests = Object.fromEntries(results.map(({ file, output }) => [relative('.', file), readTap(output)]))
  if (process.env.TEST_RUN) addResults(process.env.TEST_RUN, tests)
  const unproven = unprovenCitations(tests, { files: files.map(file => relative('.', file)) })
  for (const line of unproven) console.log(`not ok - ${line}`)
  return unproven.length
}
