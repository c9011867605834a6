import { text } from 'node:stream/consumers'
import { reasonOf } from '../observability/error-reason.ts'
import {
  CommandError, EXIT, requireArguments, Unreachable, UsageError, type Arguments, type Command,
} from './command.ts'
import { readSignIn } from './kept-sign-in.ts'

const HELP = `Usage: gatehouse api METHOD PATH [--body] [--json]

Sends a request to the operator API, as the operator of gatehouse login, and prints the response.

  PATH    below /operator/api/v1, such as '/users?q=ada'. docs/operators.md has all of them
  --body  reads the body, in JSON, from standard input

Examples
  gatehouse api GET '/users?q=ada'
  gatehouse api POST /users/42/disable
  echo '{"name":"Wiki"}' | gatehouse api PATCH /apps/3f6d2c1e-9b7a-4c55-8a1f-0e2d4b6c8a90 --body
`

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

async function run ({ positionals, values }: Arguments) {
  const [method, path] = requireArguments(positionals, 'METHOD', 'PATH')
  if (!METHODS.includes(method.toUpperCase())) throw new UsageError(`METHOD is one of ${METHODS.join(', ')}.`)
  if (!path.startsWith('/')) throw new UsageError('PATH begins with a slash.')
  const { api, token } = readSignIn()
  const body = values.body ? await text(process.stdin) : undefined
  const response = await fetch(`${api}/operator/api/v1${path}`, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${token}`, ...body !== undefined && { 'content-type': 'application/json' } },
    body,
    redirect: 'error',
  }).catch(error => {
    throw new Unreachable(`Cannot reach the operator API at ${api}: ${reasonOf(error.cause ?? error)}. See --api.`)
  })
  const answer = await response.text()
  if (!answer) return { data: { status: response.status }, text: String(response.status) }
  if (!response.headers.get('content-type')?.includes('json')) {
    throw new CommandError(`There is no operator API at ${api} (${response.status}).`)
  }
  const data = JSON.parse(answer)
  return { data, text: JSON.stringify(data, null, 2), exit: response.ok ? EXIT.ok : EXIT.problem }
}

const command: Command = { help: HELP, options: { body: { type: 'boolean' } }, run }

export default command
