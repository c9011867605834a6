import { Type } from '@sinclair/typebox'
import { number, oneOf, secret, text } from '../kinds.ts'

/** PostgreSQL and Redis. */
export const STORES = {
  DATABASE_URL: Type.Optional(secret(
    'PostgreSQL connection string for the restricted role of the service; with several servers, such as ' +
    '`postgres://gatehouse:…@db-1:5432,db-2:5432/gatehouse`, the primary among them is found and followed'
  )),
  DATABASE_POOL_MAX: number(
    'Maximum number of connections that one instance opens for requests; the job queue opens up to three more, ' +
    'and the feed of ended sessions one',
    { default: 10 }
  ),
  DATABASE_PREPARE: oneOf(
    ['on', 'off'],
    'Prepared statements and `LISTEN`: `off` for a pooler in transaction mode that supports no prepared statements, ' +
    'such as PgBouncer before 1.21',
    { default: 'on' }
  ),
  MIGRATION_DATABASE_URL: Type.Optional(
    secret('PostgreSQL connection string for the role that owns the tables; defaults to `DATABASE_URL`')
  ),
  MIGRATE_ON_START: Type.Boolean({ default: false, description: 'Run the migrations at each start' }),
  REDIS_URL: Type.Optional(secret(
    'Redis for the counters that all instances share: `redis://host`, `redis-cluster://h1,h2` or ' +
    '`redis-sentinel://h1,h2/master?sentinelPassword=…`, each with `rediss` for TLS; ' +
    'without it each instance counts in memory'
  )),
  REDIS_PREFIX: text('Prefix of every key in Redis', { default: 'gatehouse:' }),
}
