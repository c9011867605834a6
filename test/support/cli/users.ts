import t from 'tap'
import { NO_LIMITS } from '../browser.ts'
import { build, createDatabase, JWT_SECRET, secrets, TEST_COST } from '../build.ts'
import { eventually } from '../patience.ts'
import { startSmtp } from '../smtp.ts'
import { buildForCommands, runCommand } from './in-process.ts'

export const NEW_PASSWORD = 'velvet-Anchor-77-moss!'
secrets.add(NEW_PASSWORD)

function withoutSecrets<Answer extends { stdout: string, stderr: string }> (answer: Answer): Answer {
  for (const secret of secrets) {
    if ((answer.stdout + answer.stderr).includes(secret)) throw new Error('a secret was told')
  }
  return answer
}

/** The service, and commands on the same database. */
export async function setUp (more: Record<string, string> = {}) {
  const { owner, settings } = await createDatabase(t)
  const smtp = await startSmtp(t)
  const env: Record<string, string> = {
    ...settings,
    ...NO_LIMITS,
    NODE_ENV: 'test',
    JWT_SECRET,
    SMTP_URL: smtp.url,
    BCRYPT_COST: String(TEST_COST),
    ...more,
  }
  const { app } = await build(t, { settings: env })
  const cli = await buildForCommands(t, env)
  return {
    app,
    owner,
    env,
    /** A command beside the service, as from another process: the service learns of changes from the database. */
    cli,
    user: async (args: string[], input?: string) => withoutSecrets(await cli(['user', ...args], input)),
    /** A command on the service itself. For what reads no standard input. */
    userHere: async (args: string[]) => withoutSecrets(await runCommand(app, ['user', ...args])),
    /** The events of what an operator did to an account. */
    eventsOf: async (id: string) =>
      (
        await owner.query('SELECT what FROM auth_events WHERE user_id = $1 AND ip IS NULL ORDER BY id', [id])
      ).rows.map(({ what }) => what),
    mails: () => smtp.mails,
    mailTo: (reader: string) => eventually(() => smtp.mails.find(mail => mail.reader === reader), Boolean),
  }
}

export const statusOf = async (answer: Promise<{ statusCode: number }>) => (await answer).statusCode
