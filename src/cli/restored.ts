import type { FastifyInstance } from 'fastify'
import { loadConfig } from '../config.ts'
import { endEverything, type Suspended } from '../database/after-restore.ts'
import {
  CommandError, EXIT, requireArguments, UsageError, type Arguments, type Command, type Outcome,
} from './command.ts'
import { findUser } from './user/view.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse restored [--json]
       gatehouse restored list [--json]
       gatehouse restored confirm all [--json]
       gatehouse restored confirm api-key NAME | operator USER | webhook ID | app ID [--json]

Run it once after the database was restored from a backup, before the instances start. What was ended
after the backup would work again otherwise: the command ends every session and what applications got
from it, voids the links in mails and the access tokens, forgets the browsers that skip the second
factor, and removes the keys that sign tokens for other services. All users have to sign in again.
Instances create a new key by themselves. Applications and their secrets have the state of the backup.

Keys of the operator API, operators, webhooks and applications of the backup may have been removed
since. They are suspended until you confirm them: keys, operators and applications are refused, and
messages to webhooks wait.

  list      prints what waits to be confirmed
  confirm   lets it work again: all, or one after the other. End what should stay ended with
            gatehouse api-key end, operator remove, webhook remove or app remove

Without list or confirm, it runs as the role of MIGRATION_DATABASE_URL.

Examples
  pg_restore --dbname=service=gatehouse gatehouse.dump && gatehouse migrate && gatehouse restored
  gatehouse restored confirm api-key support-desk
  gatehouse restored confirm all
`

const KINDS: Array<Suspended['kind']> = ['api-key', 'operator', 'webhook', 'app']
const NEXT = 'Confirm them: gatehouse restored confirm all, or one after the other. See gatehouse restored --help.'

const lineOf = ({ kind, name, about }: Suspended) => `${kind.padEnd(8)}  ${name}  ${about}`

async function run (): Promise<Outcome> {
  const { accounts, suspended } = await endEverything(loadConfig())
  const ended = 'All sessions have ended, and links and tokens from before are void. ' +
    `Accounts that were signed in: ${accounts}.`
  const waiting = suspended.length > 0 ? ['Suspended until you confirm them:', ...suspended.map(lineOf), NEXT] : []
  return { data: { accounts, suspended }, text: [ended, ...waiting].join('\n') }
}

async function list (positionals: string[]): Promise<Outcome> {
  requireArguments(positionals)
  const suspended = await withService(({ operators }) => operators.suspended())
  const text = suspended.length > 0 ? [...suspended.map(lineOf), NEXT].join('\n') : 'Nothing waits to be confirmed.'
  return { data: { suspended }, text }
}

/** Returns false if it cannot be confirmed: another one has its name. */
async function confirmOne (app: FastifyInstance, { kind, name }: Suspended): Promise<boolean> {
  if (kind === 'api-key') return app.manageApiKeys.confirm(name)
  if (kind === 'webhook') return app.webhooks.resume(name)
  if (kind === 'app') return app.manageApplications.confirm(name)
  return await app.manageOperators.add((await findUser(app, name)).id) !== undefined
}

/** Those that the arguments name. */
async function find (app: FastifyInstance, [word = '', name]: string[]): Promise<Suspended[]> {
  const all = await app.operators.suspended()
  if (word === 'all' && name === undefined) return all
  const kind = KINDS.find(each => each === word)
  if (!kind || name === undefined) {
    throw new UsageError('Name what to confirm: all, api-key NAME, operator USER, webhook ID or app ID.')
  }
  const wanted = kind === 'operator' ? (await findUser(app, name)).email : name
  const found = all.filter(each => each.kind === kind && each.name === wanted)
  if (found.length === 0) throw new CommandError('This does not wait to be confirmed. See gatehouse restored list.')
  return found
}

async function confirm (positionals: string[]): Promise<Outcome> {
  if (positionals.length > 2) throw new UsageError('Too many arguments.')
  return withService(async app => {
    const confirmed: Suspended[] = []
    const failed: Suspended[] = []
    for (const each of await find(app, positionals)) (await confirmOne(app, each) ? confirmed : failed).push(each)
    const lines = [
      ...confirmed.map(each => `Confirmed: ${lineOf(each)}`),
      ...failed.map(each => `Still suspended, because another one has this name: ${lineOf(each)}`),
    ]
    return {
      data: { confirmed, failed },
      text: lines.join('\n') || 'Nothing waits to be confirmed.',
      exit: failed.length > 0 ? EXIT.problem : EXIT.ok,
    }
  })
}

const command: Command = {
  help: HELP,
  async run ({ positionals: [action, ...rest] }: Arguments) {
    if (action === undefined) return run()
    if (action === 'list') return list(rest)
    if (action === 'confirm') return confirm(rest)
    throw new UsageError('Unknown action. Actions: list, confirm.')
  },
}

export default command
