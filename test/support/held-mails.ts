import type pg from 'pg'
import { JOB_CHANNEL } from '../../src/database/job-queues.ts'
import { eventually } from './patience.ts'
import type { startSmtp } from './smtp.ts'

type Smtp = Awaited<ReturnType<typeof startSmtp>>

/** Until no mail waits to be sent. */
export const allSent = (owner: pg.Pool) => eventually(
  () => owner.query("SELECT FROM pgboss.job WHERE name = 'mail' AND state < 'completed'"),
  ({ rowCount }) => rowCount === 0
)

/** Runs `cause`, and keeps the mail that it causes back: the mail server refuses it, and its retry waits. */
export async function holdMail (owner: pg.Pool, smtp: Smtp, cause: () => Promise<unknown>) {
  const due = (when: string) => owner.query(
    `UPDATE pgboss.job SET start_after = now() + interval '${when}' WHERE name = 'mail' AND state = 'retry'`)
  await allSent(owner)
  smtp.refuse(1, 451)
  await cause()
  await eventually(() => due('1 hour'), ({ rowCount }) => rowCount === 1)

  return {
    /** Waits until it was sent, or turned out to have nothing to say. */
    async release () {
      await due('0')
      await owner.query('SELECT pg_notify($1, $2)', [JOB_CHANNEL, 'mail'])
      await allSent(owner)
    },
  }
}
