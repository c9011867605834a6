import { nothing, UNAFFECTED, WITHOUT_RECORDS, type Row } from '../faults/fault-table.ts'
import type { FailoverTargets } from './failover-fixture.ts'

type Failover = Row<FailoverTargets> & { redis?: 'cluster' }

/** Rows of the fault table in which another server takes over. Each has servers of its own. */
export const FAILOVERS: Failover[] = [
  {
    ...WITHOUT_RECORDS,
    fault: 'The PostgreSQL primary dies, and its synchronous standby is promoted',
    inject: ({ postgres }) => postgres.killPrimary(),
    repair: ({ postgres }) => postgres.promoteStandby(),
    recovery: ['automatic, after the promotion', 10],
  },
  {
    ...WITHOUT_RECORDS,
    fault: 'Switch-over: the PostgreSQL primary is stopped, and its standby is promoted',
    inject: ({ postgres }) => postgres.stopPrimary(),
    repair: ({ postgres }) => postgres.promoteStandby(),
    recovery: ['automatic, after the promotion', 10],
  },
  {
    ...UNAFFECTED,
    fault: 'The synchronous standby is out of reach: no commit is acknowledged',
    inject: ({ postgres }) => postgres.replication.set({ kind: 'refuse' }),
    repair: ({ postgres }) => postgres.replication.clear(),
    records: ['503 with `Retry-After`', 7],
    callback: ['to `/login?error=callback_failed`', 7],
    recovery: ['automatic', 10],
  },
  {
    ...UNAFFECTED,
    fault: 'The Redis primary dies, and Sentinel promotes a replica',
    inject: ({ redis }) => redis.killPrimary(),
    repair: nothing,
    health: '`cache: error`',
    recovery: ['automatic; until then each instance counts for itself', 10],
  },
  {
    ...UNAFFECTED,
    fault: 'A primary of a Redis Cluster of six nodes dies, and its replica takes over',
    redis: 'cluster',
    inject: ({ redis }) => redis.killPrimary(),
    repair: nothing,
    health: '`cache: error`',
    recovery: ['automatic; until then each instance counts for itself', 10],
  },
]
