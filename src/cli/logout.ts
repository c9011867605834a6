import { COMMAND_LINE } from '../openid/command-line.ts'
import { requireArguments, type Arguments, type Command } from './command.ts'
import { forgetSignIn, readSignIn } from './kept-sign-in.ts'

const HELP = `Usage: gatehouse logout [--json]

Ends the sign-in of gatehouse login, here and at the service.

Examples
  gatehouse logout
`

async function run ({ positionals }: Arguments) {
  requireArguments(positionals)
  const { issuer, token, username } = readSignIn()
  forgetSignIn()
  const body = new URLSearchParams({ token, client_id: COMMAND_LINE.id })
  const ended = await fetch(`${issuer}/oidc/revoke`, { method: 'POST', body }).then(({ ok }) => ok, () => false)
  const hint = ended ? '' : ' The service could not be told: sign out in the browser in which you entered the code.'
  return { data: { username, ended }, text: `${username} is signed out here.${hint}` }
}

const command: Command = { help: HELP, run }

export default command
