import type { FastifyInstance } from 'fastify'
import {
  CommandError, requireArguments, subcommands, type Arguments, type Command, type Outcome,
} from './command.ts'
import { promptNewPassword } from './terminal/prompt.ts'
import { exportUsers } from './user/export.ts'
import { importUsers } from './user/import.ts'
import { list } from './user/list.ts'
import { describeUser, findUser } from './user/view.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse user add USERNAME EMAIL [--name NAME] [--verified] [--json]
       gatehouse user list [--search TEXT] [--disabled] [--unconfirmed] [--limit N] [--after ID] [--json]
       gatehouse user import FILE [--from SYSTEM] [--format FORMAT] [--dry-run] [--report FILE] [--json]
       gatehouse user export [--with-hashes]
       gatehouse user show|disable|enable|set-password|end-sessions|reset-factors USER [--json]

  add            creates an account. Without --verified, the owner must confirm the email address
                 within 7 days, or the account is deleted
  list           prints the accounts in the order of their ids, 50 or --limit at a time. --search finds
                 a part of a username, email or name. --disabled and --unconfirmed print only those
  import         adds accounts from a file, with their password hashes. Accounts that exist are skipped, so
                 that it can be run again. --dry-run only checks the file. --report writes all refused
                 rows to a file. --from reads the export of auth0, firebase (with --hash-config FILE),
                 keycloak, supabase or better-auth. FORMAT is ndjson, csv or json. See docs/moving.md
  export         prints all accounts as NDJSON, which import reads. --with-hashes adds the password hashes
  show           prints the account and its sessions
  disable        ends all sessions and prevents sign-in
  enable         allows sign-in again
  set-password   sets a new password, ends all sessions and notifies the owner by mail
  end-sessions   ends all sessions
  reset-factors  removes every second factor and passkey, for an owner who lost them, and notifies
                 the owner by mail

USER is a username, an email or an id such as id:42. The password is prompted for without echo, or
read from the first line of standard input, and must meet the password rules. Access tokens of
ended sessions are refused within a second.

Examples
  gatehouse user add ada ada@example.com --name 'Ada Lovelace' --verified
  gatehouse user add ada ada@example.com < password.txt
  gatehouse user list --search example.com
  gatehouse user show ada@example.com --json
  gatehouse user disable id:42
  gatehouse user import users.csv --dry-run
  gatehouse user export > users.ndjson
`

async function add ({ positionals, values }: Arguments): Promise<Outcome> {
  const [username, email] = requireArguments(positionals, 'USERNAME', 'EMAIL')
  const name = values.name as string | undefined
  const verified = Boolean(values.verified)
  return withService(async ({ administration, passwords, config }) => {
    administration.requireValidFields({ username, email, name })
    const password = await promptNewPassword(given => passwords.require(given, [username, email, name ?? '']))
    const passwordHash = await passwords.hash(password)
    const id = await administration.add({ username, email, name, passwordHash }, { verified })
    const mailed = !verified && config.EMAIL_VERIFICATION === 'required'
    const note = mailed ? ` A mail to ${email} asks the owner to confirm the address within 7 days.` : ''
    return { data: { id, username, email }, text: `Added ${username} with the id ${id}.${note}` }
  })
}

const show = ({ positionals }: Arguments) => withUser(positionals, async (app, user) =>
  describeUser(user, await app.sessions.list(user.id), await app.identities.list(user.id)))

const disable = ({ positionals }: Arguments) => withUser(positionals, async (app, user) => {
  const changed = await app.administration.disable(user)
  return {
    data: { id: user.id, disabled: true, changed },
    text: `${user.username} ${changed ? 'is disabled. All sessions have ended.' : 'was already disabled.'}`,
  }
})

const enable = ({ positionals }: Arguments) => withUser(positionals, async (app, user) => {
  const changed = await app.administration.enable(user)
  return {
    data: { id: user.id, disabled: false, changed },
    text: `${user.username} ${changed ? 'is enabled again.' : 'was not disabled.'}`,
  }
})

const endSessions = ({ positionals }: Arguments) => withUser(positionals, async (app, user) => {
  const ended = (await app.sessions.list(user.id)).length
  await app.administration.endSessions(user)
  return {
    data: { id: user.id, ended },
    text: `${user.username} is signed out everywhere: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended.`,
  }
})

const resetFactors = ({ positionals }: Arguments) => withUser(positionals, async (app, user) => {
  const changed = await app.administration.resetFactors(user)
  return {
    data: { id: user.id, changed },
    text: `${user.username} ${changed ? 'has no second factor and no passkey any more.' : 'had no second factor.'}`,
  }
})

async function setPassword ({ positionals }: Arguments): Promise<Outcome> {
  return withUser(positionals, async (app, user) => {
    if (!user.passwordHash) {
      throw new CommandError(`${user.username} signs in through a provider and has no password.`)
    }
    const password = await promptNewPassword(given =>
      app.passwords.require(given, [user.username, user.email, user.name ?? '']))
    await app.administration.setPassword(user, await app.passwords.hash(password))
    return { data: { id: user.id }, text: `The password of ${user.username} is set. All sessions have ended.` }
  })
}

type UserAction = (app: FastifyInstance, user: Awaited<ReturnType<typeof findUser>>) => Promise<Outcome>

async function withUser (positionals: string[], action: UserAction): Promise<Outcome> {
  const [login] = requireArguments(positionals, 'USER')
  return withService(async app => action(app, await findUser(app, login)))
}

const command: Command = {
  help: HELP,
  options: {
    name: { type: 'string' },
    verified: { type: 'boolean' },
    search: { type: 'string' },
    limit: { type: 'string' },
    after: { type: 'string' },
    disabled: { type: 'boolean' },
    unconfirmed: { type: 'boolean' },
    from: { type: 'string' },
    format: { type: 'string' },
    report: { type: 'string' },
    'hash-config': { type: 'string' },
    'dry-run': { type: 'boolean' },
    'with-hashes': { type: 'boolean' },
  },
  run: subcommands({
    add,
    list,
    import: importUsers,
    export: exportUsers,
    show,
    disable,
    enable,
    'set-password': setPassword,
    'end-sessions': endSessions,
    'reset-factors': resetFactors,
  }),
}

export default command
