import { eventually } from '../patience.ts'
import type { MailKind, Recorder } from './history.ts'
import { everyPromisedMailIsSent } from './invariants.ts'
import type { SimulatedUser } from './simulated-user.ts'
import type { Database, MailServer } from './dependencies.ts'

const SUBJECTS: Record<MailKind, RegExp> = {
  factors: /^A way to sign in to your/,
  verify: /^Confirm your email address/,
  reset: /^Choose a new password/,
  changed: /was changed$/,
  known: /^You already have/,
  'new-sign-in': /^New sign-in/,
}

/** Every user tries all known passwords and tokens; three users at a time. */
export async function audit (users: SimulatedUser[]) {
  const left = [...users]
  await Promise.all(
    [1, 2, 3].map(async () => {
      for (let user = left.pop(); user; user = left.pop()) await user.audit()
    })
  )
}

export async function countLiveTokens ({ owner }: Pick<Database, 'owner'>, recorder: Recorder) {
  const { rows } = await owner.query<{ family: string, count: number }>(`
    SELECT id AS family, count(*)::int AS count FROM refresh_tokens
    WHERE revoked_at IS NULL AND expires_at > now()
    GROUP BY id`)
  recorder.write({
    type: 'token-count',
    at: recorder.now(),
    live: Object.fromEntries(rows.map(({ family, count }) => [family, count])),
  })
}

/** After several failures, the next attempt would be minutes later. */
export const RETRY_NOW = "UPDATE pgboss.job SET start_after = now() WHERE state = 'retry' AND start_after > now()"

/** Waits for mails that are late because an instance was killed while sending them, or because they were refused. */
export async function recordMails (
  { mails }: Pick<MailServer, 'mails'>,
  { owner }: Pick<Database, 'owner'>,
  recorder: Recorder,
  timeout: number
) {
  const history = recorder.read()
  let recorded = 0
  await eventually(
    async () => {
      await owner.query(RETRY_NOW)
      for (const { subject = '', reader, messageId = '' } of mails.slice(recorded)) {
        const kind = (Object.keys(SUBJECTS) as MailKind[]).find(kind => SUBJECTS[kind].test(subject))
        if (!kind) throw new Error(`unknown kind of mail: ${subject}`)
        // The message id is `<job.attempt@host>`.
        const entry = {
          type: 'mail',
          kind,
          reader,
          job: messageId.split(/[.@]/)[0] as string,
          at: recorder.now(),
        } as const
        history.push(entry)
        recorder.write(entry)
      }
      recorded = mails.length
      return everyPromisedMailIsSent(history)
    },
    missing => missing.length === 0,
    timeout
  ).catch(() => {})
}
