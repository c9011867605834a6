import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { parseArgs } from 'node:util'
import { EXIT, UsageError, type Command, type Outcome, type Parts } from './command.ts'
import { printable } from './terminal/text.ts'

/** Loaded on demand, so that no command waits for the modules of another. */
const COMMANDS: Record<string, [summary: string, load: () => Promise<{ default: Command }>]> = {
  serve: ['start the service (npm start does the same)', () => import('./serve.ts')],
  migrate: ['apply the database migrations', () => import('./migrate.ts')],
  init: ['write the settings for Compose, Debian or Kubernetes, with new secrets', () => import('./init.ts')],
  doctor: ['check everything that the service depends on', () => import('./doctor.ts')],
  user: ['add, invite, list, import, export, show, change or delete users', () => import('./user.ts')],
  limits: ['show or clear the rate-limit counters of a client address or an account', () => import('./limits.ts')],
  mails: ['list the mails that wait or have failed', () => import('./mails.ts')],
  'signing-key': ['list, rotate or retire the keys that sign tokens for services', () => import('./signing-key.ts')],
  'api-key': ['add, list or end the keys of the operator API', () => import('./api-key.ts')],
  webhook: ['tell other systems what happens to accounts', () => import('./webhook.ts')],
  app: ['let applications sign users in with OpenID Connect', () => import('./app.ts')],
  login: ['sign in as an operator, for the operator API', () => import('./login.ts')],
  logout: ['end that sign-in', () => import('./logout.ts')],
  api: ['send a request to the operator API, as the operator who signed in', () => import('./api.ts')],
  operator: ['name the accounts that may sign in as operators', () => import('./operator.ts')],
  audit: ['verify, export or anchor the trail of events', () => import('./audit.ts')],
  restored: ['end all sessions after the database was restored from a backup', () => import('./restored.ts')],
  templates: ['export the templates of pages and mails, or check your own', () => import('./templates.ts')],
  password: ['choose the bcrypt cost for this machine', () => import('./password.ts')],
}

/** The names of version 0.2, which still work in this one. */
const FORMER_NAMES: Record<string, string> = { key: 'api-key', keys: 'signing-key' }

const HELP = `Usage: gatehouse <command> [--json]

${Object.entries(COMMANDS).map(([name, [summary]]) => `  ${name.padEnd(13)}${summary}`).join('\n')}

  gatehouse <command> --help   shows the help of a command
  gatehouse --version          shows the version

Examples
  gatehouse init                         writes the first settings
  gatehouse migrate && gatehouse serve
  gatehouse doctor                       lists problems and how to fix them
  gatehouse user add ada ada@example.com

Settings are environment variables: see docs/configuration.md. Passwords are prompted for without
echo or read from standard input, never from the command line, which other users can see.

Exit codes
  0    success
  1    a problem was found, or the command failed
  2    the command line is wrong
  3    PostgreSQL or Redis cannot be reached
  130  cancelled with Ctrl-C
`

export async function run ([name = 'help', ...rest]: string[], parts: Parts = {}) {
  if (name === '--version' || name === '-v') return printVersion(rest.includes('--json'))
  const wantsHelp = name === 'help' || name === '--help' || name === '-h'
  const commandName = presentName(wantsHelp ? rest[0] : name)
  const json = rest.includes('--json')
  try {
    const command = commandName === undefined ? undefined : await load(commandName)
    if (!command) return print({ data: { help: HELP }, text: HELP }, json)
    if (wantsHelp) return print({ data: { help: command.help }, text: command.help }, json)
    print(await runOne(command, rest, parts), json)
  } catch (error) {
    await fail(error, json, commandName, parts)
  }
}

/** On standard error, so that scripts can still read the output. */
function presentName (name: string | undefined): string | undefined {
  if (name === undefined || !Object.hasOwn(FORMER_NAMES, name)) return name
  const present = FORMER_NAMES[name]
  console.error(`gatehouse ${name} is now gatehouse ${present}. The old name will go with the next version.`)
  return present
}

function printVersion (json: boolean) {
  const { version } = JSON.parse(readFileSync(findPackageJSON(import.meta.url) as string, 'utf8'))
  print({ data: { version }, text: `gatehouse ${version}` }, json)
}

export async function load (name: string): Promise<Command> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!entry) throw new UsageError(`Unknown command. Commands: ${Object.keys(COMMANDS).join(', ')}.`)
  return (await entry[1]()).default
}

export async function runOne (command: Command, args: string[], parts: Parts = {}): Promise<Outcome | void> {
  const options = { ...command.options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (values.help) return { data: { help: command.help }, text: command.help }
  return command.run({ values, positionals }, parts)
}

function print (outcome: Outcome | void, json: boolean) {
  if (!outcome) return
  const text = 'styled' in outcome ? outcome.styled : printable(outcome.text)
  console.log(json ? JSON.stringify(outcome.data, null, 2) : text)
  process.exitCode = outcome.exit ?? EXIT.ok
}

async function fail (error: unknown, json: boolean, command: string | undefined, { startDemo }: Parts) {
  const { formatError } = await import('./format-error.ts')
  const { lines, exit } = formatError(error, startDemo !== undefined)
  if (json) {
    console.log(JSON.stringify({ error: lines.join('\n') }, null, 2))
  } else {
    const known = command && Object.hasOwn(COMMANDS, command) ? `${command} ` : ''
    const hint = exit === EXIT.usage ? [`See gatehouse ${known}--help.`] : []
    console.error(printable([...lines, ...hint].join('\n')))
  }
  process.exit(exit)
}
