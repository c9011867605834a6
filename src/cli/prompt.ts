import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandError } from './command.ts'

export const isTerminal = () => Boolean(process.stdin.isTTY)

/** Reads without echo in a terminal, otherwise the first line of standard input. */
export async function promptSecret (question: string): Promise<string> {
  if (isTerminal()) return prompt(question, { secret: true })
  const [line = ''] = (await text(process.stdin)).split(/\r?\n/, 1)
  return line
}

export async function prompt (question: string, { secret = false } = {}): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: secret ? silence : process.stderr, terminal: true })
  const cancelled = new AbortController()
  lines.once('SIGINT', () => cancelled.abort())
  // Written after createInterface has turned the echo off: input before that would be shown.
  process.stderr.write(`${question}: `)
  try {
    return await lines.question('', { signal: cancelled.signal })
  } catch {
    throw new CommandError('Cancelled. Nothing was changed.')
  } finally {
    lines.close()
    if (secret) process.stderr.write('\n')
  }
}

/** Asks twice in a terminal, because the input is not shown. */
export async function promptNewPassword (): Promise<string> {
  const password = await promptSecret('New password')
  if (isTerminal() && await promptSecret('Repeat the password') !== password) {
    throw new CommandError('The passwords differ. Nothing was changed.')
  }
  if (!password) throw new CommandError('No password was given. Type it, or send it to standard input.')
  return password
}
