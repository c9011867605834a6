import { Type } from '@sinclair/typebox'
import { number, secret, text } from '../kinds.ts'

/** PostgreSQL and Redis. */
export const STORES = {
  DATABASE_URL: Type.Optional(secret('PostgreSQL connection string for the restricted role of the service')),
  DATABASE_POOL_MAX: number(
    'Maximum number of connections that one instance opens for requests; the job queue opens up to three more, ' +
    'and the feed of ended sessions one',
    { default: 10 }
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
