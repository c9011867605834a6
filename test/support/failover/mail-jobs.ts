import type { pg } from '../build.ts'
import { RETRY_NOW } from '../faults/final-audit.ts'
import { eventually } from '../patience.ts'
import type { ReceivedMail } from '../smtp.ts'

const IN_FLIGHT = "SELECT id FROM pgboss.job WHERE name = 'mail' AND state = 'active'"
const REPLAYED = 'SELECT pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AS everything'
/** A mail that confirms an address is not sent any more once the address is confirmed. */
const JOBS = `
  SELECT job.id, state::text, data->>'kind' AS kind, data->>'email' AS reader, data->>'change' AS change,
    NOT (data->>'kind' = 'verify' AND email_verified_at IS NOT NULL) AS due
  FROM pgboss.job LEFT JOIN users ON email = data->>'email' WHERE job.name = 'mail'`
/** Of these, three an hour are sent to a mailbox. The others are held back for a summary. */
const SUMMARIZED = ['password-changed', 'factors-changed', 'new-sign-in']
const SENT_AN_HOUR = 3
/** For an instance that was sending when its connections were cut: its jobs are taken over after 25 seconds. */
const TIMEOUT = 90_000

/** Mails that an instance is sending, or has sent without a record of it. */
export async function mailsInFlight (owner: pg.Pool): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(IN_FLIGHT)
  return rows.map(({ id }) => id)
}

/** The same for a standby whose primary is gone. */
export async function mailsInFlightOn (standby: pg.Pool): Promise<string[]> {
  const replayed = async () => (await standby.query<{ everything: boolean }>(REPLAYED)).rows[0]?.everything
  await eventually(replayed, Boolean)
  return mailsInFlight(standby)
}

interface MailJob {
  id: string
  state: string
  kind: string
  change: string | null
  reader: string
  due: boolean
  copies: number
}

/** Every mail that was ever queued, and how many copies of it the mail server got. Waits until all are done. */
export async function finishedMails (owner: pg.Pool, mails: ReceivedMail[]): Promise<MailJob[]> {
  const jobs = async () => {
    await owner.query(RETRY_NOW)
    return (await owner.query<MailJob>(JOBS)).rows
  }
  const finished = await eventually(jobs, all => all.every(({ state }) => state === 'completed'), TIMEOUT)
  // The message id is `<job.attempt@host>`.
  const copies = Object.groupBy(mails, ({ messageId = '' }) => messageId.slice(1).split(/[.@]/)[0] as string)
  const counted = finished.map(job => ({ ...job, copies: copies[job.id]?.length ?? 0 }))
  const alertOf = ({ kind, change, reader }: MailJob) => `${kind} ${change} ${reader}`
  const sent = Object.groupBy(counted.filter(job => job.copies > 0), alertOf)
  const isHeldBack = (job: MailJob) =>
    SUMMARIZED.includes(job.kind) && (sent[alertOf(job)]?.length ?? 0) >= SENT_AN_HOUR
  return counted.map(job => ({ ...job, due: job.due && !isHeldBack(job) }))
}
