import type { Client } from 'pg'
import { QUEUE_RIGHTS, SCHEMA } from '../database/job-queues.ts'
import { about, type Finding } from './finding.ts'

const { ok, problem } = about('rights')

const ALL = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']

/** What the migrations give the role of the service, and nothing else. */
const NEEDED: Record<string, string[]> = {
  users: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  refresh_tokens: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  one_time_tokens: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  auth_events: ['SELECT', 'INSERT', 'DELETE'],
  content: ['SELECT'],
  ...QUEUE_RIGHTS,
}

const ROLE = `
  SELECT rolsuper AS "is a superuser", rolcreaterole AS "may make roles", rolcreatedb AS "may make databases",
    rolbypassrls AS "may look past row security", rolreplication AS "may copy the whole server",
    has_database_privilege(current_database(), 'CREATE') AS "may make schemas",
    has_database_privilege(current_database(), 'TEMPORARY') AS "may make temporary tables",
    has_schema_privilege('public', 'CREATE') AS "may make tables",
    NOT pg_has_role('gatehouse_app', 'USAGE') AS outside, NOT has_schema_privilege('${SCHEMA}', 'USAGE') AS shut
  FROM pg_roles WHERE rolname = current_user`

const TABLES = `
  SELECT concat_ws('.', nullif(nspname, 'public'), relname) AS name, pg_has_role(relowner, 'USAGE') AS owned,
    ARRAY(SELECT right_ FROM unnest($2::text[]) right_ WHERE has_table_privilege(pg_class.oid, right_)) AS rights
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE concat_ws('.', nullif(nspname, 'public'), relname) = ANY ($1) ORDER BY name`

interface Table { name: string, owned: boolean, rights: string[] }

export async function checkRights (client: Client): Promise<Finding[]> {
  const { rows: [{ outside, shut, ...role } = {}] } = await client.query<Record<string, boolean>>(ROLE)
  const { rows: tables } = await client.query<Table>(TABLES, [Object.keys(NEEDED), ALL])
  const excess = role['is a superuser'] ? ['is a superuser'] : [...Object.keys(role).filter(power => role[power]), ...tables.flatMap(excessOn)]
  const lacking = tables.flatMap(lackingOn)
  if (shut) lacking.push(`USAGE on the schema ${SCHEMA}`)

  const findings = [
    excess.length > 0 && problem(`the role of DATABASE_URL ${excess.join(', ')}: a hole in the service would open that too.`,
      'Give DATABASE_URL a role that may log in and nothing else, keep the owner of the tables for MIGRATION_DATABASE_URL, and run gatehouse migrate.'),
    lacking.length > 0 && problem(`the role of DATABASE_URL lacks ${lacking.join(', ')}.`,
      outside || lacking.every(right => right.includes(SCHEMA)) ? 'Run gatehouse migrate with this DATABASE_URL: it gives the role its rights.' : 'Run gatehouse migrate, and the statements of migrations/002.do.role.sql once more, as the owner of the tables.'),
  ].filter(finding => finding !== false)
  return findings.length > 0 ? findings : [ok('the service reads and writes its records, reads content, and changes no table.')]
}

function lackingOn ({ name, rights }: Table): string[] {
  return (NEEDED[name] ?? []).filter(right => !rights.includes(right)).map(right => `${right} on ${name}`)
}

function excessOn ({ name, owned, rights }: Table): string[] {
  if (owned) return [`owns ${name}`]
  return rights.filter(right => !NEEDED[name]?.includes(right)).map(right => `has ${right} on ${name}`)
}
