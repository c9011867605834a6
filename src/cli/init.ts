import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { ask, askSecret, isTerminal } from './ask.ts'
import { Refusal, takeNames, UsageError, type Arguments, type Command, type Outcome } from './command.ts'

const HELP = `Usage: gatehouse init --public-url URL [--mail-from SENDER] [--file FILE] [--force] [--json]

Writes the settings of deploy/compose.yaml, with new passwords and a new JWT_SECRET, into a file
that only you can read: deploy/.env, or .env where there is no such folder. In a terminal it asks
for what is not given. The address of the mail server holds a password: it is asked for without
echo, or is the first line of standard input, and may be left out and written into the file later.

--force replaces a file that is there. A database that was made with the passwords in it keeps
those: do not do that to a service that runs.

Examples
  gatehouse init
  gatehouse init --public-url https://auth.example.com < smtp-url.txt
  gatehouse init --public-url https://auth.example.com --mail-from 'Example <no-reply@example.com>'
`

const random = (bytes: number) => randomBytes(bytes).toString('base64url')

async function run ({ positionals, values }: Arguments): Promise<Outcome> {
  takeNames(positionals)
  const file = String(values.file ?? (existsSync('deploy/compose.yaml') ? 'deploy/.env' : '.env'))
  if (!values.force && existsSync(file)) throw new Refusal(`${file} is there already, and was not touched. --force replaces it, and every password in it.`)

  const publicUrl = await publicUrlFrom(values['public-url'])
  const smtpUrl = await askSecret('Mail server, such as smtps://user:password@mail.example.com (empty: later)')
  if (smtpUrl && !/^smtps?:\/\/./.test(smtpUrl)) throw new Refusal('The address of the mail server must begin with smtp:// or smtps://.')
  const mailFrom = String(values['mail-from'] ?? `Gatehouse <no-reply@${new URL(publicUrl).hostname}>`)

  const settings = {
    PUBLIC_URL: publicUrl,
    SMTP_URL: smtpUrl,
    MAIL_FROM: mailFrom,
    JWT_SECRET: random(64),
    POSTGRES_PASSWORD: random(32),
    GATEHOUSE_DB_PASSWORD: random(32),
    REDIS_PASSWORD: random(32),
  }
  await writePrivately(file, Object.entries(settings).map(([name, value]) => `${name}=${quote(name, value)}\n`).join(''), Boolean(values.force))

  const missing = Object.entries(settings).filter(([, value]) => !value).map(([name]) => name)
  const next = missing.length > 0 ? `\nWrite ${missing.join(', ')} into it before you start the service.` : ''
  return { data: { file, written: Object.keys(settings), missing }, text: `Wrote ${file}, with new secrets, for your eyes only.${next}` }
}

async function publicUrlFrom (given: unknown): Promise<string> {
  if (given === undefined && !isTerminal()) throw new UsageError('--public-url must be given.')
  const url = String(given ?? await ask('Address that browsers use, such as https://auth.example.com'))
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') throw new Refusal('The public address must begin with https://: cookies and links depend on it.')
  return new URL(url).origin
}

/** In single quotes neither a shell nor Compose looks for anything in it. */
function quote (name: string, value: string): string {
  if (/['\n\r]/.test(value)) throw new Refusal(`${name} cannot hold a single quote or a line break${name === 'SMTP_URL' ? ': write a quote in the password as %27' : ''}.`)
  return `'${value}'`
}

/** Never readable by others, not even for a moment, nor half written where one stood before. */
async function writePrivately (file: string, content: string, replace: boolean) {
  if (!replace) return writeFile(file, content, { mode: 0o600, flag: 'wx' })
  const fresh = `${file}.${random(6)}`
  await writeFile(fresh, content, { mode: 0o600, flag: 'wx' })
  await rename(fresh, file)
}

const command: Command = {
  help: HELP,
  options: { 'public-url': { type: 'string' }, 'mail-from': { type: 'string' }, file: { type: 'string' }, force: { type: 'boolean' } },
  run,
}

export default command
