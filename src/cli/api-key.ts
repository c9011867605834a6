import { isScope, SCOPES } from '../operators/scopes.ts'
import {
  CommandError, requireArguments, subcommands, SUSPENDED, UsageError, type Arguments, type Command, type Outcome,
} from './command.ts'
import { minute } from './terminal/text.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse api-key add NAME --scope SCOPE[,SCOPE…] [--json]
       gatehouse api-key list [--json]
       gatehouse api-key end NAME [--json]

  add    creates a key of the operator API and prints it. It is shown once, and only its hash is stored
  list   shows the keys, their scopes and when they were last used
  end    refuses the key from now on

NAME says what the key is for: letters, digits, dots, hyphens and underscores. Events show it.
Scopes: ${SCOPES.join(', ').replace(/(.{70,}?), /g, '$1,\n        ')}

The keys that sign tokens for other services are another matter: see gatehouse signing-key --help.

Examples
  gatehouse api-key add support-desk --scope users:read,users:write
  gatehouse api-key end support-desk
`

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

async function add ({ positionals, values }: Arguments): Promise<Outcome> {
  const [name] = requireArguments(positionals, 'NAME')
  if (!NAME.test(name)) throw new UsageError('NAME must have letters, digits, dots, hyphens and underscores.')
  const scopes = [...new Set(String(values.scope ?? '').split(',').map(scope => scope.trim()).filter(Boolean))]
  if (scopes.length === 0 || !scopes.every(isScope)) {
    throw new UsageError(`--scope must list one or more of ${SCOPES.join(', ')}.`)
  }
  return withService(async ({ manageApiKeys }) => {
    const key = await manageApiKeys.add(name, scopes)
    if (!key) throw new CommandError('There is a key with this name. End it first, or choose another name.')
    return { data: { name, scopes, key }, text: `${key}\nKeep this key now: it cannot be shown again.` }
  })
}

async function list ({ positionals }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const keys = await withService(({ apiKeys }) => apiKeys.list())
  const width = Math.max(0, ...keys.map(({ name }) => name.length))
  const lines = keys.map(({ name, scopes, lastUsedAt, endedAt, suspendedAt }) => {
    const use = lastUsedAt ? `last used ${minute(lastUsedAt)}` : 'never used'
    const end = endedAt && (suspendedAt ? SUSPENDED : `ended ${minute(endedAt)}`)
    return `${name.padEnd(width)}  ${end ?? use}  ${scopes.join(',')}`
  })
  return { data: { keys }, text: lines.join('\n') || 'There are no keys.' }
}

async function end ({ positionals }: Arguments): Promise<Outcome> {
  const [name] = requireArguments(positionals, 'NAME')
  return withService(async ({ manageApiKeys }) => {
    if (!await manageApiKeys.end(name)) throw new CommandError('No such key. See gatehouse api-key list.')
    return { data: { ended: name }, text: `The key ${name} is refused from now on.` }
  })
}

const command: Command = {
  help: HELP,
  options: { scope: { type: 'string' } },
  run: subcommands({ add, list, end }),
}

export default command
