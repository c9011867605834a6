// npm test [-- PART… | FILE…]: starts one PostgreSQL and one Redis for all test files, runs them in as many processes
// as the machine has cores, prints a line for each and ends with the plain count.
// `--list` shows the parts and their files, `--install` only installs the programs that they need, `--night` prints the
// parts of the night, and `--changed REV` those of them that test what has changed since.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { providePrograms } from '../../demo/programs.ts'
import { startServers } from '../support/servers/start.ts'
import { GATE, largestFirst, NIGHT, PARTS, partsFor, type Part } from './parts.ts'
import { programsFor } from './programs.ts'
import { runFiles, type Result } from './test-process.ts'

const TAP = 'node_modules/tap/dist/esm/run.mjs'
/** The seconds that each file took. */
const DURATIONS = '.tap/durations.json'
/** Stops a file that hangs. None takes half of it on an idle machine. */
const GATE_LIMIT = 120
const NIGHT_LIMIT = 2_000
/** Processor time of a file of the gate, in seconds: above the first it is named, above the second it fails. */
const LONG = 30
const TOO_LONG = 90

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    night: { type: 'boolean', default: false },
    changed: { type: 'string' },
    jobs: { type: 'string' },
  },
})

if (options.list) list()
else if (options.night) console.log(Object.keys(NIGHT).join('\n'))
else if (options.changed) listChanged(options.changed)
else if (options.install) install(chosen().flatMap(({ files }) => files))
else await run()

function list () {
  const print = (title: string, parts: Record<string, Part>) => {
    console.log(title)
    for (const [name, { about, files }] of Object.entries(parts)) {
      console.log(`  npm test -- ${name}    ${about}`)
      for (const file of files) console.log(`    ${file}`)
    }
  }
  print('The gate, .ci/run:', GATE)
  print('The night, .ci/nightly:', NIGHT)
}

function listChanged (revision: string) {
  const changed = execFileSync('git', ['diff', '--name-only', revision], { encoding: 'utf8' }).trim().split('\n')
  console.log(partsFor(changed).join('\n'))
}

interface Batch { files: string[], jobs: number, limit: number }

/** The parts that were asked for, one after the other, and last the files that were named themselves. */
function chosen (): Batch[] {
  const asked = names.length === 0 ? ['quick'] : names
  const jobs = options.jobs ? Number(options.jobs) : availableParallelism()
  const batchOf = (files: string[], isNight: boolean): Batch =>
    isNight ? { files, jobs: 1, limit: NIGHT_LIMIT } : { files: largestFirst(files), jobs, limit: GATE_LIMIT }
  const files = asked.filter(name => !PARTS[name]).map(name => relative('.', name))
  return [
    ...asked.flatMap(name => PARTS[name] ? [batchOf(PARTS[name].files, name in NIGHT)] : []),
    ...files.length > 0 ? [batchOf(files, files.some(file => !file.endsWith('.test.ts')))] : [],
  ]
}

function install (files: string[]) {
  providePrograms(programsFor(files))
}

async function run () {
  const ends: Array<() => unknown> = []
  const onEnd = (end: () => unknown) => ends.unshift(end)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  try {
    const batches = chosen()
    buildTap()
    install(batches.flatMap(({ files }) => files))
    buildLanes()
    console.log('Starting PostgreSQL and Redis for the tests…')
    await startServers(process.pid, { onEnd })
    // Many processes load the whole service: what one has compiled the next need not.
    const env = { NODE_COMPILE_CACHE: resolve('.tap/compiled'), ...process.env }
    const results: Result[] = []
    const add = (result: Result) => report(result, results.push(result))
    let allEnded = true
    for (const { files, jobs, limit } of batches) {
      const processes = Array.from({ length: Math.min(jobs, files.length) }, () =>
        runFiles(files, limit, env, stopping.signal, add))
      allEnded = (await Promise.all(processes)).every(Boolean) && allEnded
    }
    saveDurations(results)
    const tooLong = reportLong(results)
    const sum = (what: 'passed' | 'failed' | 'skipped') => results.reduce((total, each) => total + each[what], 0)
    console.log(`${sum('passed')} passed, ${sum('failed') + tooLong} failed, ${sum('skipped')} skipped`)
    if (!allEnded) console.log('not ok - a test left something behind that keeps its process alive')
    const ok = results.every(({ ok }) => ok) && tooLong === 0 && allEnded && !stopping.signal.aborted
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
function report ({ file, ok, output, seconds, processor }: Result, number: number) {
  const lines = output.split('\n')
  if (!ok) console.log(lines.filter(line => !/^\s*(ok |1\.\.|$)/.test(line)).join('\n'))
  for (const line of new Set(lines.filter(each => each.includes('# SKIP')))) console.log(line.trim())
  const times = `${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time`
  console.log(`${ok ? 'ok' : 'not ok'} ${number} - ${file} # ${times}`)
}

/** Adds to the results of the parts that ran before. */
function saveDurations (results: Result[]) {
  const saved = existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {}
  for (const { file, seconds, processor } of results) saved[file] = { seconds, processor }
  mkdirSync(dirname(DURATIONS), { recursive: true })
  writeFileSync(DURATIONS, JSON.stringify(saved, null, 2))
}

/** Names the files of the gate that take long. The number of those that take too long, which fail. */
function reportLong (results: Result[]): number {
  const long = results.filter(({ file, processor }) => file.endsWith('.test.ts') && processor > LONG)
  for (const { file, processor } of long) {
    console.log(`${processor > TOO_LONG ? 'not ok' : '#'} - ${file}: ${processor.toFixed(0)} s of processor time`)
  }
  return long.filter(({ processor }) => processor > TOO_LONG).length
}
