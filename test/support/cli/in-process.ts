import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { buildApp } from '../../../src/app.ts'
import type { Command } from '../../../src/cli/command.ts'
import { load, runOne } from '../../../src/cli/commands.ts'
import { formatError } from '../../../src/cli/format-error.ts'
import { printable } from '../../../src/cli/terminal/text.ts'
import { onService } from '../../../src/cli/with-service.ts'
import { loadConfig } from '../../../src/config.ts'

type Settings = NodeJS.ProcessEnv

interface Surroundings {
  /** What standard input has, which is no terminal. */
  input?: string
  cwd?: string
}

/** Starts a command with only these settings, which it must read before it waits. */
function start (command: Command, args: string[], settings: Settings) {
  const { env } = process
  process.env = { ...settings }
  try {
    return runOne(command, args)
  } finally {
    process.env = env
  }
}

/** Standard input and the folder belong to the whole process, so such commands must run one after the other. */
async function within<T> ({ input, cwd }: Surroundings, work: () => Promise<T>): Promise<T> {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  const folder = process.cwd()
  if (input !== undefined) {
    Object.defineProperty(process, 'stdin', { configurable: true, enumerable: true, value: Readable.from([input]) })
  }
  if (cwd !== undefined) process.chdir(cwd)
  try {
    return await work()
  } finally {
    if (input !== undefined) Object.defineProperty(process, 'stdin', stdin)
    if (cwd !== undefined) process.chdir(folder)
  }
}

/** A command that uses no service, in this process. */
export const runWith = (settings: Settings, [name = '', ...args]: string[], surroundings: Surroundings = {}) =>
  within(surroundings, () => answer(args, load(name).then(command => start(command, args, settings))))

/**
 * A command as `gatehouse` runs it, but in this process and on a service that runs already: that takes no start.
 * Few read settings themselves.
 */
export const runCommand = (app: FastifyInstance, [name = '', ...args]: string[], settings: Settings = process.env) =>
  answer(args, onService(app, async () => start(await load(name), args, settings)))

/** Runs commands, one after the other, on a service of their own that is built as `withService` does in a process. */
export async function buildForCommands (t: Pick<Test, 'teardown'>, settings: Settings) {
  const app = buildApp({ ...loadConfig(settings, {}), LOG_LEVEL: 'silent' }, process.stderr, { routes: false })
  app.register(async ({ jobs, revocations }) => {
    jobs.addOnly()
    revocations.ignore()
  })
  t.teardown(() => app.close())
  await app.ready()
  await app.jobs.connected()
  return (args: string[], input = '') => within({ input }, () => runCommand(app, args, settings))
}

/** What the program would print, and its exit code. */
async function answer (args: string[], running: ReturnType<typeof runOne>) {
  try {
    const outcome = await running
    if (!outcome) return { code: 0, stdout: '', stderr: '' }
    const text = 'styled' in outcome ? outcome.styled : printable(outcome.text)
    const stdout = args.includes('--json') ? JSON.stringify(outcome.data, null, 2) : text
    return { code: outcome.exit ?? 0, stdout: `${stdout}\n`, stderr: '' }
  } catch (error) {
    const { lines, exit } = formatError(error)
    return { code: exit, stdout: '', stderr: printable(lines.join('\n')) }
  }
}
