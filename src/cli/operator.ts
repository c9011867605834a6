import { CommandError, requireArguments, subcommands, type Arguments, type Command, type Outcome } from './command.ts'
import { findUser } from './user/view.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse operator add|remove USER [--json]
       gatehouse operator list [--json]

  add      lets an account sign in on the listener for operators (OPERATOR_PORT)
  list     shows the operators, and which of them have no second factor yet
  remove   ends this right, and the account's sessions there

USER is a username, an email or an id such as id:42. An operator needs a second factor or a passkey,
which the owner of the account adds on the dashboard of the service.

Examples
  gatehouse operator add ada@example.com
`

async function add ({ positionals }: Arguments): Promise<Outcome> {
  const [login] = requireArguments(positionals, 'USER')
  return withService(async app => {
    const { id, username } = await findUser(app, login)
    const added = await app.manageOperators.add(id)
    const { totp, passkeys } = await app.factors.of(id)
    const note = totp || passkeys > 0 ? '' : ' The account has no second factor yet: add one on the dashboard first.'
    return {
      data: { id, username, added },
      text: `${username} ${added ? 'is an operator.' : 'was an operator already.'}${note}`,
    }
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
  const lines = operators.map(({ username, email, suspendedAt, hasSecondFactor }) => {
    const suspended = suspendedAt ? '  suspended by a restore: see gatehouse restored --help' : ''
    return `${username}  ${email}${suspended}${hasSecondFactor ? '' : '  has no second factor: cannot sign in'}`
  })
  return { data: { operators }, text: lines.join('\n') || 'There are no operators.' }
}

const command: Command = { help: HELP, run: subcommands({ add, list, remove }) }

export default command
