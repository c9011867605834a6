import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import { PgBoss, type Queue } from 'pg-boss'

/** The schema of pg-boss. Our own tables are in `public`. */
export const SCHEMA = 'pgboss'

/** Only one instance runs such a job at a time. The next job does what a failed one has left. */
const PERIODIC = { policy: 'exclusive', retryLimit: 1, expireInSeconds: 300, deleteAfterSeconds: 3_600 } as const

/** Retries and retention of each queue. */
const QUEUES: Record<string, Omit<Queue, 'name'>> = {
  // Retried for four hours, to outlast an outage of the mail server. Sent mails are deleted soon: they hold an address.
  mail: {
    retryLimit: 60,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 300,
    expireInSeconds: 60,
    heartbeatSeconds: 10,
    notify: true,
    retentionSeconds: 86_400,
    deleteAfterSeconds: 3_600,
  },
  purge: PERIODIC,
  'alert-summaries': PERIODIC,
  // pg-boss uses this queue for its schedules. The role of the service may not create it.
  '__pgboss__send-it': { deleteAfterSeconds: 3_600 },
}

/** Counts the jobs that are due and those that wait for a retry. */
export const COUNT_WAITING = `SELECT count(*)::int AS waiting FROM ${SCHEMA}.job WHERE name = $1 AND state < 'active'`

/** PostgreSQL notifies of new jobs on this channel, with the name of the queue. It is the one of pg-boss. */
export const JOB_CHANNEL = `pgboss_${createHash('sha224').update(SCHEMA).digest('hex').slice(0, 24)}`

/** Connections that one instance opens for the queue. */
export const QUEUE_CONNECTIONS = 2

export type QueueName = 'mail' | 'purge' | 'alert-summaries'

const SCHEDULES: Array<[queue: QueueName, cron: string]> = [
  ['purge', '*/5 * * * *'],
  ['alert-summaries', '*/5 * * * *'],
]

/** The minimum that pg-boss needs at run time: it cannot create or alter tables. */
export const QUEUE_RIGHTS: Record<string, string[]> = {
  [`${SCHEMA}.version`]: ['SELECT', 'UPDATE'],
  [`${SCHEMA}.schedule`]: ['SELECT', 'UPDATE'],
  [`${SCHEMA}.queue`]: ['SELECT', 'INSERT', 'UPDATE'],
  [`${SCHEMA}.job`]: ['SELECT', 'INSERT', 'UPDATE'],
  [`${SCHEMA}.job_common`]: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  [`${SCHEMA}.job_dependency`]: ['SELECT', 'DELETE'],
}

const GRANTS = [
  `GRANT USAGE ON SCHEMA ${SCHEMA} TO gatehouse_app`,
  ...Object.entries(QUEUE_RIGHTS).map(([table, rights]) => `GRANT ${rights.join(', ')} ON ${table} TO gatehouse_app`),
].join(';')

/** Only adds jobs: no maintenance, no schedules. */
export const ADD_ONLY = { schedule: false, supervise: false }

/** Runs as the owner of the tables, in one instance at a time. Running it again updates the settings. */
export async function createQueues (client: Client) {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => client.query(text, values) },
    schema: SCHEMA,
    schedule: false,
    supervise: false,
  })
  boss.on('error', () => {})
  try {
    await boss.start()
    for (const [name, { policy, ...rest }] of Object.entries(QUEUES)) {
      await boss.createQueue(name, { policy, ...rest })
      await boss.updateQueue(name, rest)
    }
    for (const [name, cron] of SCHEDULES) await boss.schedule(name, cron, null, { tz: 'UTC' })
  } finally {
    await boss.stop({ graceful: false })
  }
  await client.query(GRANTS)
}

/** For the role of the service, which reads and adds jobs and cannot alter tables. */
export const SERVICE_OPTIONS = {
  schema: SCHEMA,
  // Its own listener would never try again if its first connection fails. Ours is that of the revocation feed.
  useListenNotify: false,
  migrate: false,
  createSchema: false,
  reindex: false,
  monitorVacuum: false,
  // The jobs of a crashed instance are found within this time.
  superviseIntervalSeconds: 15,
  monitorIntervalSeconds: 15,
  // Without it, completed jobs would be kept for a day, regardless of their queue's setting.
  maintenanceIntervalSeconds: 600,
  queueCacheIntervalSeconds: 60,
  flowIntervalSeconds: 3_600,
  cronMonitorIntervalSeconds: 30,
  cronWorkerIntervalSeconds: 30,
}
