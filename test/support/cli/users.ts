import t from 'tap'
import { NO_LIMITS } from '../browser.ts'
import { build, createDatabase, JWT_SECRET, secrets } from '../build.ts'
import { eventually } from '../patience.ts'
import { gatehouse } from '../process.ts'
import { startSmtp } from '../smtp.ts'
import { runCommand } from './in-process.ts'

export const NEW_PASSWORD = 'velvet-Anchor-77-moss!'
secrets.add(NEW_PASSWORD)

function withoutSecrets<Answer extends { stdout: string, stderr: string }> (answer: Answer): Answer {
  for (const secret of secrets) {
    if ((answer.stdout + answer.stderr).includes(secret)) throw new Error('a secret was told')
  }
  return answer
}

/** The service, and the command on the same database. */
export async function setUp (more: Record<string, string> = {}) {
  const { owner, settings } = await createDatabase(t)
  const smtp = await startSmtp(t)
  const env: Record<string, string> = {
    ...settings,
    ...NO_LIMITS,
    NODE_ENV: 'test',
    JWT_SECRET,
    SMTP_URL: smtp.url,
    BCRYPT_COST: '10',
    ...more,
  }
  const { app } = await build(t, { settings: env })
  return {
    app,
    owner,
    env,
    user: async (args: string[], input = '') =>
      withoutSecrets(await gatehouse(['user', ...args], env, { input }).ended),
    /** The same without a process of its own, which takes a second to start. For what reads no standard input. */
    userHere: async (args: string[]) => withoutSecrets(await runCommand(app, ['user', ...args])),
    /** The events of what an operator did to an account. */
    eventsOf: async (id: string) =>
      (
        await owner.query('SELECT what FROM auth_events WHERE user_id = $1 AND ip IS NULL ORDER BY id', [id])
      ).rows.map(({ what }) => what),
    mails: () => smtp.mails,
    mailTo: (reader: string) => eventually(() => smtp.mails.find(mail => mail.reader === reader), Boolean, 20_000),
  }
}

export const statusOf = async (answer: Promise<{ statusCode: number }>) => (await answer).statusCode
