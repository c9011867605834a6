import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import Postgrator from 'postgrator'
import type { Config } from '../config.ts'
import { connectTo } from './connection.ts'
import { createQueues } from './job-queues.ts'
import { prepareLargeTables } from './large-tables.ts'
import { lockTables } from './lock-tables.ts'

const FILES = {
  driver: 'pg',
  schemaTable: 'schema_migrations',
  migrationPattern: join(import.meta.dirname, '../../migrations/*.sql'),
} as const
/** An arbitrary number that all instances share. */
const LOCK = 471_882_201
/** Version 0.2 had 21 migrations, which are one file now. This is the checksum of its last one. */
const VERSION_0_2 = { migration: 21, md5: '4bfab4936fb6e6b67f226193c53ac1fa' }
/** Requests queue up behind a migration that waits for a table, such as one that a backup reads. */
const LOCK_TIMEOUT = '5s'
/** In milliseconds, between two tries to get the lock of another instance. */
const RETRY_INTERVAL = 100

/**
 * Applies missing migrations in one transaction, then builds large indexes. A lock makes concurrent instances wait for
 * each other.
 */
export async function migrate (config: Pick<Config, 'DATABASE_URL' | 'MIGRATION_DATABASE_URL'>): Promise<string[]> {
  const { Client, connectionString } = connectTo(config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL)
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await waitForLock(client)
    await client.query('BEGIN')
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    const postgrator = new Postgrator({ ...FILES, execQuery: query => client.query(query) })
    const version = await postgrator.getDatabaseVersion()
    await acceptVersion02(client, version)
    if (version < await postgrator.getMaxVersion()) await lockTables(client)
    const applied = await postgrator.migrate()
    await grantServiceRole(client, config.DATABASE_URL)
    await revokeTemporary(client)
    await client.query('COMMIT')
    await createQueues(client)
    await prepareLargeTables(client)
    return applied.map(({ version, name }) => `${version} ${name}`)
  } catch (error) {
    if (isDenied(error)) throw notOwner(config, error)
    throw isLocked(error) ? new Error(`${LOCKED}: ${error.message}.`, { cause: error }) : error
  } finally {
    // Closing the connection releases the lock and, without COMMIT, rolls everything back.
    await client.end()
  }
}

/** By tries: a query that waits for the lock is a transaction, which the build of an index would wait for. */
async function waitForLock (client: pg.Client) {
  for (;;) {
    const { rows: [{ locked }] } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK])
    if (locked) return
    await sleep(RETRY_INTERVAL)
  }
}

/** Removes the checksum of version 0.2, which Postgrator would compare with the one of the new file. */
async function acceptVersion02 (client: pg.Client, version: number) {
  const { migration, md5 } = VERSION_0_2
  if (version === 0) return
  if (version < migration) throw new Error('The tables are older than version 0.2. Upgrade to version 0.2 first.')
  await client.query('UPDATE schema_migrations SET md5 = NULL WHERE version = $1 AND md5 = $2', [migration, md5])
}

function isDenied (error: unknown): error is Error {
  return (error as { code?: unknown }).code === '42501'
}

function isLocked (error: unknown): error is Error {
  return LOCK_CODES.includes((error as { code?: unknown }).code)
}

/** Codes of PostgreSQL: lock not available, and query canceled, after which we stop waiting. */
const LOCK_CODES: unknown[] = ['55P03', '57014']
const LOCKED = `Another program used a table for more than ${LOCK_TIMEOUT}. Nothing has changed. ` +
  'Run the command again, for example after the backup'

/** Names the setting: PostgreSQL says only that permission was denied. */
function notOwner ({ MIGRATION_DATABASE_URL: owner }: Pick<Config, 'MIGRATION_DATABASE_URL'>, cause: Error): Error {
  const found = owner
    ? 'The role of MIGRATION_DATABASE_URL does not have the privileges for the migrations'
    : 'MIGRATION_DATABASE_URL is not set, and the role of DATABASE_URL does not own the tables'
  const advice = 'Set MIGRATION_DATABASE_URL to a role that owns the database and has CREATEROLE, ' +
    'such as postgres://gatehouse_owner:…@db:5432/gatehouse.'
  return new Error(`${found}: ${cause.message}. ${advice}`, { cause })
}

/** Makes the role of DATABASE_URL a member of gatehouse_app. */
async function grantServiceRole (client: pg.Client, serviceUrl?: string) {
  const { connectionString } = connectTo(serviceUrl)
  const role = connectionString && decodeURIComponent(new URL(connectionString).username)
  if (!role) return
  const { rowCount } = await client.query(
    "SELECT FROM pg_roles WHERE rolname = $1 AND NOT pg_has_role(rolname, 'gatehouse_app', 'MEMBER')", [role])
  if (rowCount) await client.query(`GRANT gatehouse_app TO ${client.escapeIdentifier(role)}`)
}

/** Repeated at each run: backups do not include database privileges, only those of tables. */
async function revokeTemporary (client: pg.Client) {
  const { rows: [{ name }] } = await client.query('SELECT current_database() AS name')
  await client.query(`REVOKE TEMPORARY ON DATABASE ${client.escapeIdentifier(name)} FROM PUBLIC`)
}

/** The version numbers of all migrations in this release. */
export async function knownMigrations (): Promise<number[]> {
  return (await new Postgrator(FILES).getMigrations()).map(({ version }) => version)
}
