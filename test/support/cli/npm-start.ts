import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { eventually } from '../patience.ts'

/** A folder with the files that `npm start` needs, and with data of its own. */
export function createCheckout (t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-npm-'))
  for (const name of ['package.json', 'bin', 'src', 'node_modules']) symlinkSync(resolve(name), join(dir, name))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Empty if the process has ended meanwhile. */
function ofProcess (read: () => string): string {
  try {
    return read().replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Every process that runs in this folder, or names it. */
export function processesOf (dir: string): Array<{ pid: number, command: string }> {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
    const command = ofProcess(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).trim()
    const cwd = ofProcess(() => readlinkSync(`/proc/${pid}/cwd`))
    return command && (cwd.startsWith(dir) || command.includes(dir)) ? [{ pid: Number(pid), command }] : []
  })
}

/** Waits until there is none left. To look at every process of the machine takes time itself: not too often. */
export const untilNoneOf = (dir: string) => eventually(
  () => sleep(100).then(() => processesOf(dir)),
  left => left.length === 0
)

export const isListening = (port: number) => new Promise<boolean>(resolve => {
  const socket = connect(port, '127.0.0.1', () => {
    socket.destroy()
    resolve(true)
  })
  socket.once('error', () => resolve(false))
})

/** The number of processes that there were. One may end before it is killed. */
function killAll (dir: string): number {
  const left = processesOf(dir)
  for (const { pid } of left) ofProcess(() => String(process.kill(pid, 'SIGKILL')))
  return left.length
}

/** The real `npm start`, in a process group of its own as in a terminal. */
export function spawnNpmStart (t: Test, dir: string) {
  const npm = spawn('npm', ['start'], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: dir,
      PORT: '0',
      BCRYPT_COST: '10',
      DRAIN_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding('utf8').on('data', chunk => { output += chunk })
  let hasEnded = false
  npm.once('exit', () => { hasEnded = true })
  t.teardown(() => eventually(() => killAll(dir), left => left === 0))
  return { npm: npm.pid as number, output: () => output, hasEnded: () => hasEnded }
}

/** `npm start`, when the service accepts requests. */
export async function npmStart (t: Test, dir: string) {
  const { npm, output, hasEnded } = spawnNpmStart(t, dir)
  const [, port] = await eventually(
    () => {
      if (hasEnded()) throw new Error(`npm start ended: ${output()}`)
      return /Gatehouse is running at http:\/\/localhost:(\d+)/.exec(output()) ?? [output()]
    },
    found => found.length > 1
  )
  const [, , , databasePort] = readFileSync(join(dir, '.data/postgres/postmaster.pid'), 'utf8').split('\n')
  const service = processesOf(dir).find(({ command }) => /^node bin\/gatehouse\.js serve/.test(command))
  return { npm, output, service: service?.pid as number, ports: [Number(port), Number(databasePort)] }
}

type Started = Awaited<ReturnType<typeof npmStart>>

const TARGETS: Record<string, (started: Started) => number> = {
  npm: ({ npm }) => npm,
  'the service': ({ service }) => service,
  'the process group': ({ npm }) => -npm,
}
type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'

/** Stops `npm start`, which starts first unless it runs already. */
export function testSignal (t: Test, signal: Signal, who: string, dir: string, running?: Started) {
  return t.test(`npm start: ${signal} to ${who} leaves no process and no open port`, async t => {
    const started = running ?? await npmStart(t, dir)
    t.strictSame(await Promise.all(started.ports.map(isListening)), [true, true])
    t.ok(processesOf(dir).some(({ command }) => command.includes('postgres -D')), 'its PostgreSQL runs')
    process.kill(TARGETS[who]?.(started) as number, signal)
    await untilNoneOf(dir)
    t.strictSame(await Promise.all(started.ports.map(isListening)), [false, false])
    t.notMatch(started.output(), /uncaught error/)
    // The service stops in order even if the signal comes twice: npm reports a service that does not.
    if (signal === 'SIGTERM' || signal === 'SIGINT') t.notMatch(started.output(), /npm error/)
  })
}
