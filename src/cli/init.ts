import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { CommandError, requireArguments, UsageError, type Arguments, type Command, type Outcome } from './command.ts'
import { isHttps, isOrigin } from '../settings/urls.ts'
import { askUntilAccepted, isTerminal, prompt, promptSecret } from './terminal/prompt.ts'

const HELP = `Usage: gatehouse init --public-url URL [--mail-from SENDER] [--file FILE] [--force] [--json]

Writes the settings for deploy/compose.yaml, with new passwords and a new JWT_SECRET, to a file
that only you can read: deploy/.env, or .env if there is no deploy folder. In a terminal it prompts
for a missing public URL. SMTP_URL contains a password: it is prompted for without echo or read
from the first line of standard input. You can leave it empty and add it to the file later.

--force replaces an existing file and all passwords in it. The database keeps its old passwords:
do not use --force for a running service.

Examples
  gatehouse init
  gatehouse init --public-url https://auth.example.com < smtp-url.txt
  gatehouse init --public-url https://auth.example.com --mail-from 'Example <no-reply@example.com>'
`

const PUBLIC_URL_QUESTION = `The URL of the service in browsers, such as https://auth.example.com.
Public URL`
const SMTP_QUESTION = `Your mail server, such as smtps://user:password@mail.example.com.
You can leave this empty and add it to the file later. The input is not shown.
SMTP_URL`

const random = (bytes: number) => randomBytes(bytes).toString('base64url')

async function run ({ positionals, values }: Arguments): Promise<Outcome> {
  requireArguments(positionals)
  const file = String(values.file ?? (existsSync('deploy/compose.yaml') ? 'deploy/.env' : '.env'))
  if (!values.force && existsSync(file)) {
    throw new CommandError(`${file} already exists and was not changed. Use --force to replace it and its passwords.`)
  }

  const givenSender = values['mail-from'] as string | undefined
  if (givenSender !== undefined) quote('MAIL_FROM', givenSender)
  const publicUrl = await publicUrlFrom(values['public-url'])
  const smtpUrl = await askUntilAccepted(() => promptSecret(SMTP_QUESTION), acceptSmtpUrl)
  const mailFrom = givenSender ?? `Gatehouse <no-reply@${new URL(publicUrl).hostname}>`

  const settings = {
    PUBLIC_URL: publicUrl,
    SMTP_URL: smtpUrl,
    MAIL_FROM: mailFrom,
    JWT_SECRET: random(64),
    POSTGRES_PASSWORD: random(32),
    GATEHOUSE_DB_PASSWORD: random(32),
    REDIS_PASSWORD: random(32),
  }
  const content = Object.entries(settings).map(([name, value]) => `${name}=${quote(name, value)}\n`).join('')
  await writePrivately(file, content, Boolean(values.force))

  const missing = Object.entries(settings).filter(([, value]) => !value).map(([name]) => name)
  const next = missing.length > 0 ? `\nAdd ${missing.join(', ')} before you start the service.` : ''
  return {
    data: { file, written: Object.keys(settings), missing },
    text: `Wrote ${file} with new secrets. Only you can read it.${next}`,
  }
}

async function publicUrlFrom (given: unknown): Promise<string> {
  if (given !== undefined) return acceptPublicUrl(String(given))
  if (!isTerminal()) throw new UsageError('Missing: --public-url.')
  return askUntilAccepted(() => prompt(PUBLIC_URL_QUESTION), acceptPublicUrl)
}

function acceptPublicUrl (answer: string): string {
  const url = answer.trim()
  if (!isHttps(url) || !isOrigin(url)) {
    throw new CommandError('The public URL must be https:// and a host, such as https://auth.example.com.')
  }
  return new URL(url).origin
}

function acceptSmtpUrl (answer: string): string {
  const url = answer.trim()
  if (url && !(/^smtps?:\/\/./.test(url) && URL.canParse(url))) {
    throw new CommandError('SMTP_URL must be a URL that begins with smtp:// or smtps://.')
  }
  quote('SMTP_URL', url)
  return url
}

/** Shells and Compose expand nothing inside single quotes. */
function quote (name: string, value: string): string {
  if (/['\n\r]/.test(value)) {
    const advice = name === 'SMTP_URL' ? ' Write a quote in the password as %27.' : ''
    throw new CommandError(`${name} must not contain a single quote or a line break.${advice}`)
  }
  return `'${value}'`
}

/** Creates the file with mode 0600 from the start, and replaces an existing one atomically. */
async function writePrivately (file: string, content: string, replace: boolean) {
  if (!replace) return writeFile(file, content, { mode: 0o600, flag: 'wx' })
  const temporary = `${file}.${random(6)}`
  await writeFile(temporary, content, { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}

const command: Command = {
  help: HELP,
  options: {
    'public-url': { type: 'string' },
    'mail-from': { type: 'string' },
    file: { type: 'string' },
    force: { type: 'boolean' },
  },
  run,
}

export default command
