import { readFileSync } from 'node:fs'
import { parseStrictly } from '../../accounts/strict-json.ts'
import type { AccountData } from '../../accounts/data.ts'
import { HttpError } from '../../errors.ts'
import { CommandError, requireArguments, UsageError, type Arguments, type Outcome } from '../command.ts'
import { withService } from '../with-service.ts'
import { findUser } from './view.ts'

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** What the descriptor 0 is to the file system: standard input. */
const fileOf = (name: string) => name === '-' ? 0 : name

function readData (file: string): AccountData {
  try {
    return parseStrictly(UTF_8.decode(readFileSync(fileOf(file)))) as AccountData
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError('The file is not valid JSON, or has a member twice.')
    if (error instanceof TypeError) throw new CommandError('The file is not valid UTF-8.')
    throw new CommandError('The file cannot be read.')
  }
}

function versionOf (text: unknown): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(String(text))) throw new UsageError('--if-version is a number.')
  return Number(text)
}

/** Prints the data of an account, or replaces it. */
export async function data ({ positionals, values }: Arguments): Promise<Outcome> {
  const [login] = requireArguments(positionals, 'USER')
  const { set, 'if-version': given } = values
  if (given !== undefined && set === undefined) throw new UsageError('--if-version needs --set FILE.')
  const version = versionOf(given)
  const wanted = set === undefined ? undefined : readData(set as string)
  return withService(async app => {
    const user = await findUser(app, login)
    if (wanted !== undefined) {
      await app.changeAccount(user, { data: wanted }, undefined, version).catch(error => {
        throw error instanceof HttpError ? new CommandError(error.message) : error
      })
    }
    const stored = await app.accountData.find(user.id)
    return { data: { id: user.id, ...stored }, text: JSON.stringify(stored.data, undefined, 2) }
  })
}
