import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../demo/free-port.ts'
import { spawnTethered } from '../../demo/tethered.ts'
import { processorTimeOf } from '../environment/processor-time.ts'

export interface Program {
  pid: number
  port: number
  /** Milliseconds from the start of the process to its first successful response. */
  readyAfter: number
  /** Seconds of processor time used. */
  processorTime(): number
  residentMb(): number
  stop(): Promise<void>
}

interface Start {
  command: string[]
  env?: Record<string, string>
  /** Responds with 200 when the program is ready. */
  ready?: string
  log?: string
}

const START_LIMIT = 20_000

/** Starts a program under test as a process with only the given environment. Its log goes to a file. */
export async function startProgram ({ command, env = {}, ready = '/', log = '/dev/null' }: Start): Promise<Program> {
  const port = await freePort()
  const settings = Object.entries({ PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env }).map(
    ([name, value]) => `${name}=${value}`
  )
  const output = await open(log, 'w')
  const began = performance.now()
  const child = spawnTethered(['env', '-i', ...settings, ...command], 'KILL', output.fd)
  await output.close()
  const ended = once(child, 'exit')
  const pid = child.pid as number

  while (!(await answers(port, ready))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || performance.now() - began > START_LIMIT) {
      throw new Error(
        `${command.join(' ')} did not start (${child.signalCode ?? child.exitCode}):\n` +
          readFileSync(log, 'utf8').slice(-1_000)
      )
    }
    await sleep(5)
  }
  const readyAfter = performance.now() - began

  return {
    pid,
    port,
    readyAfter,
    processorTime: () => processorTimeOf(pid),
    residentMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop () {
      child.ref()
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function answers (port: number, path: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}${path}`).then(
    async answer => {
      await answer.arrayBuffer()
      return answer.ok
    },
    () => false
  )
}
