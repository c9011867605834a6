import { requireArguments, subcommands, type Arguments, type Command, type Outcome } from './command.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse mails list [--json]

  list   prints the mails that wait to be sent, and those that were given up, newest first, at most 100

A mail that the mail server does not accept is tried again for four hours. Mails that were sent are
not listed: see the log, "mail sent".

Examples
  gatehouse mails list
`

async function list ({ positionals }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const mails = await withService(({ mailList }) => mailList.list())
  const lines = mails.map(({ createdAt, state, retries, kind, email }) =>
    [createdAt.toISOString().slice(0, 19).replace('T', ' '), state, `tried ${retries}`, kind, email].join('  '))
  return { data: { mails }, text: lines.join('\n') || 'No mail waits, and none has failed.' }
}

const command: Command = { help: HELP, run: subcommands({ list }) }

export default command
