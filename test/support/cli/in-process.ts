import type { FastifyInstance } from 'fastify'
import type { Command } from '../../../src/cli/command.ts'
import { load, runOne } from '../../../src/cli/commands.ts'
import { formatError } from '../../../src/cli/format-error.ts'
import { printable } from '../../../src/cli/terminal/text.ts'
import { onService } from '../../../src/cli/with-service.ts'

type Settings = NodeJS.ProcessEnv

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

/** A command that uses no service, in this process. */
export const runWith = (settings: Settings, [name = '', ...args]: string[]) =>
  answer(args, load(name).then(command => start(command, args, settings)))

/**
 * A command as `gatehouse` runs it, but in this process and on a service that runs already: that takes no start.
 * Few read settings themselves.
 */
export const runCommand = (app: FastifyInstance, [name = '', ...args]: string[], settings: Settings = process.env) =>
  answer(args, onService(app, async () => start(await load(name), args, settings)))

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
