import type { Client } from 'pg'
import { PgBoss, type Queue } from 'pg-boss'

/** Beside our own tables, which are in public. */
export const SCHEMA = 'pgboss'

/** How often a job is tried, and how long it is kept. */
const QUEUES: Record<string, Omit<Queue, 'name'>> = {
  // Tried for four hours, so that a mail server can be away for lunch. Done, it is soon forgotten: it holds an address.
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
  purge: { policy: 'exclusive', retryLimit: 1, expireInSeconds: 300, deleteAfterSeconds: 3_600 },
  // The queue that pg-boss sends its schedules through. The service may not make it.
  '__pgboss__send-it': { deleteAfterSeconds: 3_600 },
}

/** Those that are due and those that are tried again later. */
export const COUNT_WAITING = `SELECT count(*)::int AS waiting FROM ${SCHEMA}.job WHERE name = $1 AND state < 'active'`

export type QueueName = 'mail' | 'purge'

const SCHEDULES: Array<[queue: QueueName, cron: string]> = [['purge', '*/5 * * * *']]

/** What pg-boss needs when it runs, and no more: no table is its to make or change. */
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

/** No upkeep, no schedules, and nobody who listens for jobs. */
export const ADD_ONLY = { schedule: false, supervise: false, useListenNotify: false }

/** As the owner of the tables, by one instance at a time. A second run brings the settings up to date. */
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

/** As the service: it takes and adds jobs, and changes no table. */
export function serviceOptions (connectionString?: string) {
  return {
    connectionString,
    application_name: 'gatehouse jobs',
    schema: SCHEMA,
    max: 2,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 5_000,
    query_timeout: 6_000,
    useListenNotify: true,
    migrate: false,
    createSchema: false,
    reindex: false,
    monitorVacuum: false,
    // The jobs of an instance that died are found in this time.
    superviseIntervalSeconds: 15,
    monitorIntervalSeconds: 15,
    // Without it, what is done would be kept for a day, whatever its queue says.
    maintenanceIntervalSeconds: 600,
    queueCacheIntervalSeconds: 60,
    flowIntervalSeconds: 3_600,
    cronMonitorIntervalSeconds: 30,
    cronWorkerIntervalSeconds: 30,
  }
}
