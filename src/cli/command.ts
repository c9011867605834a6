import type { ParseArgsOptionsConfig } from 'node:util'

/** What a script learns of how it went. */
export const EXIT = { fine: 0, problem: 1, usage: 2, unreachable: 3 } as const

/** `data` is for `--json`, `text` for people. */
export interface Outcome {
  data: object
  text: string
  exit?: number
}

export interface Arguments {
  positionals: string[]
  values: Record<string, string | boolean | undefined>
}

export interface Command {
  help: string
  options?: ParseArgsOptionsConfig
  /** No outcome: it goes on, as `serve` does. */
  run (args: Arguments): Promise<Outcome | void>
}

/** The command line itself is wrong. What it said is not repeated: it may be a password. */
export class UsageError extends Error {}

/** Nothing was done, and this is why. */
export class Refusal extends Error {}

/** Something that is needed does not answer. */
export class Unreachable extends Error {}

type Action = (args: Arguments) => Promise<Outcome>

/** For a command with actions of its own: the first word says which. */
export function chooseAction (actions: Record<string, Action>) {
  return async function run ({ positionals: [name = '', ...positionals], values }: Arguments): Promise<Outcome> {
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (!action) throw new UsageError(`Say what to do: ${Object.keys(actions).join(', ')}.`)
    return action({ positionals, values })
  }
}

/** Exactly these, in this order. */
export function takeNames<const Names extends string[]> (positionals: string[], ...names: Names): { [Index in keyof Names]: string } {
  if (positionals.length < names.length) throw new UsageError(`${names.slice(positionals.length).join(' and ')} must be given.`)
  if (positionals.length > names.length) throw new UsageError(`Too much is given: it takes ${names.join(' and ') || 'nothing more'}. Passwords are asked for, or read from standard input.`)
  return positionals as { [Index in keyof Names]: string }
}
