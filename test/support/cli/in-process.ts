import type { FastifyInstance } from 'fastify'
import { load, runOne } from '../../../src/cli/commands.ts'
import { formatError } from '../../../src/cli/format-error.ts'
import { printable } from '../../../src/cli/terminal/printable.ts'
import { onService } from '../../../src/cli/with-service.ts'

type Settings = Record<string, string>

/** A command that needs no service, in this process with only these settings. It must read them before it waits. */
export async function runWith (settings: Settings, [name = '', ...args]: string[]) {
  const command = await load(name)
  const { env } = process
  process.env = { ...settings }
  let running
  try {
    running = runOne(command, args)
  } finally {
    process.env = env
  }
  return answer(args, running)
}

/** A command as `gatehouse` runs it, but in this process and on a service that runs already: that takes no start. */
export async function runCommand (app: FastifyInstance, [name = '', ...args]: string[]) {
  return answer(args, onService(app, async () => runOne(await load(name), args)))
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
