import type { FastifyInstance } from 'fastify'
import { CommandError, requireArguments, subcommands, type Arguments, type Command, type Outcome } from './command.ts'
import { minute } from './terminal/text.ts'
import { withService } from './with-service.ts'

const HELP = `Usage: gatehouse signing-key list|rotate [--json]
       gatehouse signing-key retire KID [--json]

  list     shows the keys that sign tokens for other services
  rotate   publishes a new key, which signs in an hour
  retire   withdraws a key at once, because it may have leaked

Keys rotate by themselves. After retire, the tokens of the key are refused as soon as other services
fetch the public keys again, within 10 minutes. If it was the current key, the instances create
another within a minute. Users stay signed in. For keys of the operator API, see gatehouse api-key --help.

Examples
  gatehouse signing-key list
  gatehouse signing-key retire 3f6d2c1e-9b7a-4c55-8a1f-0e2d4b6c8a90
`

type Keys = Awaited<ReturnType<FastifyInstance['signingKeys']['list']>>

function describe (keys: Keys): Outcome {
  const shown = keys.map(({ kid, algorithm, createdAt, signsAt, retiredAt, signsIn }) => {
    const state = retiredAt ? 'previous' : signsIn > 0 ? 'next' : 'current'
    return { kid, algorithm, state, createdAt, signsAt, retiredAt }
  })
  const lines = shown.map(({ kid, algorithm, state, signsAt, retiredAt }) => {
    const since = retiredAt ? `signed until ${minute(retiredAt)}` : `signs from ${minute(signsAt)}`
    return `${state.padEnd(10)}${kid}  ${algorithm}  ${since}`
  })
  return { data: { keys: shown }, text: lines.join('\n') || 'There are no keys yet: an instance creates the first.' }
}

async function list ({ positionals }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  return withService(async ({ signingKeys }) => describe(await signingKeys.list()))
}

async function rotate ({ positionals }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  return withService(async ({ signingKeys }) => describe(await signingKeys.rotate()))
}

async function retire ({ positionals }: Arguments): Promise<Outcome> {
  const [kid] = requireArguments(positionals, 'KID')
  return withService(async ({ signingKeys }) => {
    if (!await signingKeys.retire(kid)) throw new CommandError('No such key. See gatehouse signing-key list.')
    return { data: { retired: kid }, text: `Retired ${kid}.` }
  })
}

const command: Command = {
  help: HELP,
  run: subcommands({ list, rotate, retire }),
}

export default command
