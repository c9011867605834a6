import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { WeakPassword } from '../../passwords/errors.ts'
import { Cancelled, CommandError } from '../command.ts'

export const isTerminal = () => Boolean(process.stdin.isTTY)

/** Reads without echo in a terminal, otherwise the first line of standard input. */
export async function promptSecret (question: string): Promise<string> {
  if (isTerminal()) return prompt(question, { secret: true })
  const [line = ''] = (await text(process.stdin)).split(/\r?\n/, 1)
  return line
}

export async function prompt (question: string, { secret = false } = {}): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = secret ? silence : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
  const cancelled = new AbortController()
  // Ctrl-C, and Ctrl-D, which closes the input.
  lines.once('SIGINT', () => cancelled.abort()).once('close', () => cancelled.abort())
  // createInterface has turned the echo off: input before that would be shown.
  if (secret) process.stderr.write(`${question}: `)
  try {
    return await lines.question(`${question}: `, { signal: cancelled.signal })
  } catch {
    throw new Cancelled()
  } finally {
    lines.close()
    if (secret) process.stderr.write('\n')
  }
}

/** Asks again in a terminal until `accept` does not refuse the answer. Otherwise a refusal ends the command. */
export async function askUntilAccepted<T> (
  ask: () => Promise<string>,
  accept: (answer: string) => T | Promise<T>
): Promise<T> {
  for (;;) {
    try {
      return await accept(await ask())
    } catch (error) {
      const refused = error instanceof WeakPassword || error instanceof CommandError
      if (!refused || !isTerminal()) throw error
      const reasons = error instanceof WeakPassword ? error.fields.errors as string[] : [error.message]
      process.stderr.write([...reasons, 'Try again, or press Ctrl-C to cancel.\n'].join('\n'))
    }
  }
}

/** Asks twice in a terminal, because the input is not shown. */
export async function promptNewPassword (accept: (password: string) => Promise<void>): Promise<string> {
  return askUntilAccepted(() => promptSecret('New password (not shown)'), async password => {
    if (!password) throw new CommandError('No password was given. Type it, or send it to standard input.')
    await accept(password)
    if (isTerminal() && await promptSecret('Repeat the password') !== password) {
      throw new CommandError('The passwords differ.')
    }
    return password
  })
}
