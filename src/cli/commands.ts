import { parseArgs } from 'node:util'
import { EXIT, UsageError, type Command, type Outcome } from './command.ts'

/** Loaded when asked for: nobody waits for what another command needs. */
const COMMANDS: Record<string, [summary: string, load: () => Promise<{ default: Command }>]> = {
  serve: ['start the service (npm start does the same)', () => import('./serve.ts')],
  migrate: ['bring the tables of the database up to date', () => import('./migrate.ts')],
  init: ['write the .env of deploy/compose.yaml, with new secrets', () => import('./init.ts')],
  doctor: ['check everything that the service depends on', () => import('./doctor.ts')],
  user: ['add, show, disable or enable an account, set its password, end its sessions', () => import('./user.ts')],
  limits: ['show or clear what was counted for a client address or an account', () => import('./limits.ts')],
  password: ['pick the cost of password hashes for this machine', () => import('./password.ts')],
}

const HELP = `Usage: gatehouse <command> [--json]

${Object.entries(COMMANDS).map(([name, [summary]]) => `  ${name.padEnd(10)}${summary}`).join('\n')}

  gatehouse <command> --help   says more about one of them

Examples
  gatehouse init                         a .env to start with
  gatehouse migrate && gatehouse serve
  gatehouse doctor                       what is wrong, and what to do about it
  gatehouse user add ada ada@example.com

Settings come from the environment: see the table in README.md. Passwords are asked for without
echo, or read from standard input; never from the command line, which others can see.

Exit codes
  0  fine
  1  a problem was found, or it was refused
  2  the command line is wrong
  3  something that is needed does not answer
`

export async function run ([name = 'help', ...rest]: string[]) {
  const asked = name === 'help' || name === '--help' || name === '-h'
  const wanted = asked ? rest[0] : name
  const json = rest.includes('--json')
  try {
    const command = wanted === undefined ? undefined : await load(wanted)
    if (!command) return print({ data: { help: HELP }, text: HELP }, json)
    if (asked) return print({ data: { help: command.help }, text: command.help }, json)
    print(await runOne(command, rest), json)
  } catch (error) {
    await fail(error, json, wanted)
  }
}

async function load (name: string): Promise<Command> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!entry) throw new UsageError(`There is no such command. These are: ${Object.keys(COMMANDS).join(', ')}.`)
  return (await entry[1]()).default
}

async function runOne (command: Command, args: string[]): Promise<Outcome | void> {
  const options = { ...command.options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (values.help) return { data: { help: command.help }, text: command.help }
  return command.run({ values, positionals })
}

function print (outcome: Outcome | void, json: boolean) {
  if (!outcome) return
  console.log(json ? JSON.stringify(outcome.data, null, 2) : printable(outcome.text))
  process.exitCode = outcome.exit ?? EXIT.fine
}

async function fail (error: unknown, json: boolean, command: string | undefined) {
  const { explain } = await import('./explain.ts')
  const { lines, exit } = explain(error)
  const hint = exit === EXIT.usage ? [`See gatehouse ${command && Object.hasOwn(COMMANDS, command) ? `${command} ` : ''}--help.`] : []
  if (json) console.log(JSON.stringify({ error: lines.join('\n') }, null, 2))
  else console.error(printable([...lines, ...hint].join('\n')))
  process.exit(exit)
}

/** Names and devices are what others wrote: none of it may steer the terminal. */
function printable (text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '')
}
