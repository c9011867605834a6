import type { ParseArgsOptionsConfig } from 'node:util'
import type { StartDemo } from '../server.ts'

export const EXIT = { ok: 0, problem: 1, usage: 2, unreachable: 3, cancelled: 130 } as const

/** `data` is printed with `--json`, otherwise `text`, or `styled`, which has colours and is safe to print. */
export type Outcome = { data: object, exit?: number } & ({ text: string } | { styled: string })

export interface Arguments {
  positionals: string[]
  values: Record<string, string | boolean | Array<string | boolean> | undefined>
}

/** What the program brings along. */
export interface Parts { startDemo?: StartDemo }

export interface Command {
  help: string
  options?: ParseArgsOptionsConfig
  /** Returns nothing if the process keeps running, as with `serve`. */
  run (args: Arguments, parts: Parts): Promise<Outcome | void>
}

/** The command line is wrong. Its arguments are not repeated in the message: one may be a password. */
export class UsageError extends Error {}

/** The command failed and has changed nothing. */
export class CommandError extends Error {}

/** Ctrl-C at a question. */
export class Cancelled extends Error {
  constructor () {
    super('Cancelled. Nothing was changed.')
  }
}

/** A service that the command needs cannot be reached. */
export class Unreachable extends Error {}

/** The state of a key, an operator or an application after a restore. */
export const SUSPENDED = 'suspended by a restore: see gatehouse restored --help'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1_000

/** The value of --limit: how many rows a list prints. */
export function pageSize (limit: Arguments['values'][string]): number {
  const size = Number(limit ?? DEFAULT_LIMIT)
  if (!Number.isInteger(size) || size < 1 || size > MAX_LIMIT) {
    throw new UsageError(`--limit must be a number from 1 to ${MAX_LIMIT}.`)
  }
  return size
}

type Action = (args: Arguments) => Promise<Outcome | void>

/** The first argument selects the action. */
export function subcommands (actions: Record<string, Action>) {
  return async function run ({ positionals: [name = '', ...positionals], values }: Arguments): Promise<Outcome | void> {
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (!action) throw new UsageError(`Missing or unknown action. Actions: ${Object.keys(actions).join(', ')}.`)
    return action({ positionals, values })
  }
}

/** Requires exactly these positional arguments. */
export function requireArguments<const Names extends string[]> (
  positionals: string[],
  ...names: Names
): { [Index in keyof Names]: string } {
  if (positionals.length < names.length) {
    throw new UsageError(`Missing: ${names.slice(positionals.length).join(' and ')}.`)
  }
  if (positionals.length > names.length) {
    const expected = names.join(' and ') || 'none'
    throw new UsageError(
      `Too many arguments. Expected: ${expected}. Passwords are prompted for or read from standard input.`
    )
  }
  return positionals as { [Index in keyof Names]: string }
}
