import type { Configuration, DeviceAuthorizationResponse, ServerMetadata } from 'openid-client'
import { COMMAND_LINE } from '../openid/command-line.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { CommandError, requireArguments, Unreachable, UsageError, type Arguments, type Command } from './command.ts'
import { keepSignIn, signInFile } from './kept-sign-in.ts'

const HELP = `Usage: gatehouse login URL [--api URL] [--json]

Signs an operator in for the operator API, for 8 hours, with the rights of their own account: open the
address that is printed in a browser, sign in with the second factor, and enter the code. What is done
is recorded under their name. Then use gatehouse api. End it with gatehouse logout, or by signing out
in that browser.

  URL    PUBLIC_URL of the service. It needs OPENID=on and OPERATOR_PORT
  --api  where the operator API is reached from here. Default: http://localhost:4100

Examples
  gatehouse login http://localhost:3000
  gatehouse login https://auth.example.com --api https://operators.example.com
`

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

function checkUrl (text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname))) return url
  throw new UsageError('A URL must begin with https:. Only that of this machine may begin with http:.')
}

async function discover (issuer: URL): Promise<Configuration> {
  const { allowInsecureRequests, discovery, None } = await import('openid-client')
  const execute = issuer.protocol === 'http:' ? [allowInsecureRequests] : []
  const found = await discovery(issuer, COMMAND_LINE.id, undefined, None(), { execute }).catch(error => {
    throw new Unreachable(`No OpenID provider at ${issuer.origin}: ${reasonOf(error)}. Is OPENID=on there?`)
  })
  const { device_authorization_endpoint: endpoint }: ServerMetadata = found.serverMetadata()
  if (!endpoint) throw new CommandError(`${issuer.origin} has no sign-in for command lines.`)
  return found
}

function announce ({ user_code: code, verification_uri: address, expires_in: seconds }: DeviceAuthorizationResponse) {
  console.error(`Open ${address} in a browser, and enter the code ${code}. It is valid for ${seconds / 60} minutes.`)
}

async function run ({ positionals, values }: Arguments) {
  const [text] = requireArguments(positionals, 'URL')
  const { origin: api } = checkUrl(String(values.api ?? 'http://localhost:4100'))
  const provider = await discover(checkUrl(text))
  const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant } = await import('openid-client')
  const started = await initiateDeviceAuthorization(provider, { scope: 'openid profile' }).catch(error => {
    throw new CommandError(`Sign-in is not possible: ${reasonOf(error)}. Has the service an OPERATOR_PORT?`)
  })
  announce(started)
  const tokens = await pollDeviceAuthorizationGrant(provider, started).catch(error => {
    throw new CommandError(error.error === 'access_denied' ? 'The sign-in was refused.' : reasonOf(error))
  })
  const username = String(tokens.claims()?.preferred_username)
  const expiresAt = new Date(Date.now() + (tokens.expiresIn() ?? 0) * 1_000).toISOString()
  const { issuer } = provider.serverMetadata()
  keepSignIn({ issuer, api, username, token: tokens.access_token, expiresAt })
  return {
    data: { issuer, api, username, expiresAt },
    text: `Signed in as ${username} until ${expiresAt}. Kept in ${signInFile()}.`,
  }
}

const command: Command = { help: HELP, options: { api: { type: 'string' } }, run }

export default command
