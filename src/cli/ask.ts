import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Refusal } from './command.ts'

export const isTerminal = () => Boolean(process.stdin.isTTY)

/** Asked for without echo in a terminal; elsewhere it is the first line of standard input. */
export async function askSecret (question: string): Promise<string> {
  if (isTerminal()) return ask(question, { secret: true })
  const [line = ''] = (await text(process.stdin)).split(/\r?\n/, 1)
  return line
}

export async function ask (question: string, { secret = false } = {}): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: secret ? silence : process.stderr, terminal: true })
  const cancelled = new AbortController()
  lines.once('SIGINT', () => cancelled.abort())
  // Only now: what is typed before the terminal is ours would be shown.
  process.stderr.write(`${question}: `)
  try {
    return await lines.question('', { signal: cancelled.signal })
  } catch {
    throw new Refusal('Cancelled: nothing was done.')
  } finally {
    lines.close()
    if (secret) process.stderr.write('\n')
  }
}

/** Twice from a terminal, where nobody sees what they type. */
export async function askNewPassword (): Promise<string> {
  const password = await askSecret('New password')
  if (isTerminal() && await askSecret('Again') !== password) throw new Refusal('The two are not the same: nothing was done.')
  if (!password) throw new Refusal('No password was given: type it, or send it on standard input.')
  return password
}
