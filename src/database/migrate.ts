import { join } from 'node:path'
import pg from 'pg'
import Postgrator from 'postgrator'
import type { Config } from '../config.ts'
import { createQueues } from './job-queues.ts'

const FILES = { driver: 'pg', schemaTable: 'schema_migrations', migrationPattern: join(import.meta.dirname, '../../migrations/*.sql') } as const
/** Any number will do, as long as every instance takes the same. */
const LOCK = 471_882_201

/** Applies what is missing, all or nothing. Instances that start together wait for one another. */
export async function migrate (config: Pick<Config, 'DATABASE_URL' | 'MIGRATION_DATABASE_URL'>): Promise<string[]> {
  const client = new pg.Client({ connectionString: config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await client.query('BEGIN')
    const postgrator = new Postgrator({ ...FILES, execQuery: query => client.query(query) })
    const applied = await postgrator.migrate()
    await admitServiceRole(client, config.DATABASE_URL)
    await revokeTemporary(client)
    await client.query('COMMIT')
    await createQueues(client)
    return applied.map(({ version, name }) => `${version} ${name}`)
  } finally {
    // The end of the connection frees the lock and, without COMMIT, rolls everything back.
    await client.end()
  }
}

/** The role that the service signs in with gets the rights of gatehouse_app. */
async function admitServiceRole (client: pg.Client, serviceUrl?: string) {
  const role = serviceUrl && decodeURIComponent(new URL(serviceUrl).username)
  if (!role) return
  const { rowCount } = await client.query(
    "SELECT FROM pg_roles WHERE rolname = $1 AND NOT pg_has_role(rolname, 'gatehouse_app', 'MEMBER')", [role])
  if (rowCount) await client.query(`GRANT gatehouse_app TO ${client.escapeIdentifier(role)}`)
}

/** Each time: a right on a database, unlike one on a table, is in no backup of it. */
async function revokeTemporary (client: pg.Client) {
  const { rows: [{ name }] } = await client.query('SELECT current_database() AS name')
  await client.query(`REVOKE TEMPORARY ON DATABASE ${client.escapeIdentifier(name)} FROM PUBLIC`)
}

/** The numbers of those that this program brings. */
export async function knownMigrations (): Promise<number[]> {
  return (await new Postgrator(FILES).getMigrations()).map(({ version }) => version)
}
