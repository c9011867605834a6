import { CommandError, requireArguments, UsageError, type Arguments, type Command, type Outcome } from './command.ts'
import { acceptHost, acceptPublicUrl, acceptSmtpUrl } from './init/answers.ts'
import { refuseToReplace, requireQuotable, writeFiles } from './init/new-files.ts'
import { TARGETS, type Answers, type Target } from './init/targets.ts'
import { askUntilAccepted, isTerminal, prompt, promptSecret } from './terminal/prompt.ts'

const HELP = `Usage: gatehouse init [--compose | --debian | --kubernetes] --public-url URL [--mail-from SENDER]
         [--database-host HOST] [--redis-host HOST] [--file FILE | --folder FOLDER] [--force] [--json]

Writes the settings of an installation, with new passwords and a new JWT_SECRET, to files that other
users cannot read. In a terminal it prompts for what is missing. SMTP_URL contains a password: it is
prompted for without echo or read from the first line of standard input. You can leave it empty and
add it to the file later.

  --compose      the file of deploy/compose.yaml: deploy/.env, or .env if there is no deploy folder,
                 or --file. This is the default if there is no terminal
  --debian       a server without containers: settings, a file for each secret, and what PostgreSQL
                 and Redis need, in /etc/gatehouse or --folder. See docs/debian.md
  --kubernetes   service.env, migration.env and the roles for PostgreSQL, in deploy/kubernetes or
                 --folder. Needs the hosts of PostgreSQL and Redis

--force replaces existing files and all passwords in them. The database keeps its old passwords:
do not use --force for a running service.

Examples
  gatehouse init
  gatehouse init --public-url https://auth.example.com < smtp-url.txt
  gatehouse init --debian --public-url https://auth.example.com --mail-from 'Example <no-reply@example.com>'
  gatehouse init --kubernetes --public-url https://auth.example.com --database-host db-rw --redis-host redis
`

const NAMES = Object.keys(TARGETS)
const TARGET_QUESTION = `Where the service will run: compose (Docker), debian (a server) or kubernetes.
Write the settings for`
const PUBLIC_URL_QUESTION = `The URL of the service in browsers, such as https://auth.example.com.
Public URL`
const SMTP_QUESTION = `Your mail server, such as smtps://user:password@mail.example.com.
You can leave this empty and add it to the file later. The input is not shown.
SMTP_URL`
const hostQuestion = (name: string) => `The host of ${name}, with a port if it is not the usual one.
${name}`

async function run ({ positionals, values }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const { target, path } = await targetFrom(values)
  const force = Boolean(values.force)
  if (!force) refuseToReplace(target.filesIn(path, NO_ANSWERS).map(file => file.path))

  const givenSender = values['mail-from'] as string | undefined
  if (givenSender !== undefined) requireQuotable('MAIL_FROM', givenSender)
  const publicUrl = await answerTo('public-url', values, PUBLIC_URL_QUESTION, acceptPublicUrl)
  const hosts = target.asksForHosts ? await hostsFrom(values) : { database: '127.0.0.1', redis: '127.0.0.1' }
  const smtpUrl = await askUntilAccepted(() => promptSecret(SMTP_QUESTION), acceptSmtpUrl)
  const mailFrom = givenSender ?? `Gatehouse <no-reply@${new URL(publicUrl).hostname}>`
  const files = target.filesIn(path, { publicUrl, mailFrom, smtpUrl, ...hosts })
  await writeFiles(files, force)

  const written = files.map(file => file.path)
  const missing = smtpUrl ? [] : ['SMTP_URL']
  const advice = missing.length > 0 ? `\nAdd ${missing.join(', ')} before you start the service.` : ''
  const what = written.length > 1
    ? `Wrote these files with new secrets. Other users cannot read them.\n  ${written.join('\n  ')}`
    : `Wrote ${written} with new secrets. Only you can read it.`
  return {
    data: { file: written[0], files: written, missing },
    text: what + advice,
  }
}

/** To know the names of the files. */
const NO_ANSWERS: Answers = { publicUrl: '', mailFrom: '', smtpUrl: '', database: '', redis: '' }

async function targetFrom (values: Arguments['values']): Promise<{ target: Target, path: string }> {
  const chosen = NAMES.filter(name => values[name])
  if (chosen.length > 1) throw new UsageError(`Choose one of ${NAMES.map(name => `--${name}`).join(', ')}.`)
  const isOpen = chosen.length === 0 && values.file === undefined && isTerminal()
  const name = isOpen ? await askUntilAccepted(() => prompt(TARGET_QUESTION), acceptTarget) : chosen[0] ?? 'compose'
  const target = TARGETS[name] as Target
  const other = target.writes === 'file' ? 'folder' : 'file'
  if (values[other] !== undefined) throw new UsageError(`--${name} has no --${other}, but --${target.writes}.`)
  return { target, path: String(values[target.writes] ?? target.defaultPath()) }
}

async function hostsFrom (values: Arguments['values']) {
  return {
    database: await answerTo('database-host', values, hostQuestion('PostgreSQL'), acceptHost),
    redis: await answerTo('redis-host', values, hostQuestion('Redis'), acceptHost),
  }
}

/** An option, or else the answer in a terminal. */
async function answerTo (
  option: string,
  values: Arguments['values'],
  question: string,
  accept: (answer: string) => string
): Promise<string> {
  const given = values[option]
  if (given !== undefined) return accept(String(given))
  if (!isTerminal()) throw new UsageError(`Missing: --${option}.`)
  return askUntilAccepted(() => prompt(question), accept)
}

function acceptTarget (answer: string): string {
  const name = answer.trim().toLowerCase()
  if (!NAMES.includes(name)) throw new CommandError(`Choose one of ${NAMES.join(', ')}.`)
  return name
}

const command: Command = {
  help: HELP,
  options: {
    compose: { type: 'boolean' },
    debian: { type: 'boolean' },
    kubernetes: { type: 'boolean' },
    'public-url': { type: 'string' },
    'mail-from': { type: 'string' },
    'database-host': { type: 'string' },
    'redis-host': { type: 'string' },
    file: { type: 'string' },
    folder: { type: 'string' },
    force: { type: 'boolean' },
  },
  run,
}

export default command
