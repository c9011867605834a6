import { isRole, ROLE_NAMES, type Role } from '../operators/roles.ts'
import {
  CommandError, requireArguments, subcommands, SUSPENDED, UsageError, type Arguments, type Command, type Outcome,
} from './command.ts'
import { findUser } from './user/view.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse operator add USER [--role ROLE] [--json]
       gatehouse operator role USER ROLE [--json]
       gatehouse operator remove USER [--json]
       gatehouse operator list [--json]

  add      lets an account sign in on the listener for operators (OPERATOR_PORT), as an administrator
           unless --role is given
  role     changes what an operator may do. Open sessions have the new role at once
  list     shows the operators and their roles, and which of them have no second factor yet
  remove   ends this right, and the account's sessions there

ROLE is viewer, who sees everything and changes nothing; support, who also helps users with their
accounts, but does not delete them nor change those of operators; or administrator, who may do
everything. See docs/operators.md.

USER is a username, an email, an id such as id:42, or the id in another system, such as
external:c-1815. An operator needs a second factor or a passkey, which the owner of the account
adds on the dashboard of the service.

Examples
  gatehouse operator add ada@example.com --role support
  gatehouse operator role ada administrator
`

function roleIn (text: Arguments['values'][string]): Role {
  if (typeof text !== 'string' || !isRole(text)) throw new UsageError(`ROLE must be one of ${ROLE_NAMES.join(', ')}.`)
  return text
}

async function add ({ positionals, values }: Arguments): Promise<Outcome> {
  const [login] = requireArguments(positionals, 'USER')
  const wanted = values.role === undefined ? undefined : roleIn(values.role)
  return withService(async app => {
    const { id, username } = await findUser(app, login)
    const added = await app.manageOperators.add(id, wanted)
    const role = added ?? await app.operators.roleOf(id)
    const { totp, passkeys } = await app.factors.of(id)
    const note = totp || passkeys > 0 ? '' : ' The account has no second factor yet: add one on the dashboard first.'
    return {
      data: { id, username, role, added: added !== undefined },
      text: `${username} ${added ? 'is an operator' : 'was an operator already'}, with the role ${role}.${note}`,
    }
  })
}

async function changeRole ({ positionals }: Arguments): Promise<Outcome> {
  const [login, text] = requireArguments(positionals, 'USER', 'ROLE')
  const role = roleIn(text)
  return withService(async app => {
    const { id, username } = await findUser(app, login)
    const changed = await app.manageOperators.changeRole(id, role)
    if (!changed && await app.operators.roleOf(id) !== role) {
      throw new CommandError(`${username} is not an operator. Use gatehouse operator add.`)
    }
    return { data: { id, username, role, changed }, text: `${username} ${changed ? 'has' : 'had'} the role ${role}.` }
  })
}

async function remove ({ positionals }: Arguments): Promise<Outcome> {
  const [login] = requireArguments(positionals, 'USER')
  return withService(async app => {
    const { id, username } = await findUser(app, login)
    if (!await app.manageOperators.remove(id)) throw new CommandError(`${username} is not an operator.`)
    return { data: { id, username }, text: `${username} is not an operator any more.` }
  })
}

async function list ({ positionals }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const operators = await withService(app => app.operators.list())
  const lines = operators.map(({ username, email, role, suspendedAt, hasSecondFactor }) => {
    const suspended = suspendedAt ? `  ${SUSPENDED}` : ''
    const lacking = hasSecondFactor ? '' : '  has no second factor: cannot sign in'
    return `${username}  ${email}  ${role}${suspended}${lacking}`
  })
  return { data: { operators }, text: lines.join('\n') || 'There are no operators.' }
}

const command: Command = {
  help: HELP,
  options: { role: { type: 'string' } },
  run: subcommands({ add, role: changeRole, list, remove }),
}

export default command
