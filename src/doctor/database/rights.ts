import type { Client } from 'pg'
import { QUEUE_RIGHTS, SCHEMA } from '../../database/job-queues.ts'
import { findingsFor, type Finding } from '../finding.ts'

const { ok, problem } = findingsFor('rights')

const ALL = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']

/** Exactly what the migrations grant to the role of the service. */
const NEEDED: Record<string, string[]> = {
  users: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  account_data: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  refresh_tokens: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  one_time_tokens: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  mail_codes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  mail_code_guesses: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  mail_alerts: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  sign_in_alarms: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  imported_hashes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  revocations: ['SELECT', 'INSERT', 'DELETE'],
  auth_events: ['SELECT', 'INSERT', 'DELETE'],
  event_readers: ['SELECT', 'UPDATE'],
  audit_seals: ['SELECT', 'INSERT'],
  sign_in_counts: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  last_sign_ins: ['SELECT', 'INSERT', 'UPDATE'],
  account_totals: ['SELECT', 'INSERT', 'DELETE'],
  webhooks: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  webhook_deliveries: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  signing_keys: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  retired_signing_keys: ['SELECT', 'INSERT', 'DELETE'],
  totp: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  recovery_codes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  passkeys: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  identities: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  used_challenges: ['SELECT', 'INSERT', 'DELETE'],
  api_keys: ['SELECT', 'INSERT', 'UPDATE'],
  operators: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  suspended_operators: ['SELECT', 'DELETE'],
  operator_sessions: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  idempotency_keys: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  applications: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  application_secrets: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  application_consents: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  application_grants: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  device_codes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  openid_artifacts: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  content: ['SELECT'],
  schema_migrations: ['SELECT'],
  ...QUEUE_RIGHTS,
}

const ROLE = `
  SELECT rolsuper AS "is a superuser", rolcreaterole AS "can create roles", rolcreatedb AS "can create databases",
    rolbypassrls AS "bypasses row-level security", rolreplication AS "can replicate the server",
    has_database_privilege(current_database(), 'CREATE') AS "can create schemas",
    has_database_privilege(current_database(), 'TEMPORARY') AS "can create temporary tables",
    has_schema_privilege('public', 'CREATE') AS "can create tables",
    NOT pg_has_role('gatehouse_app', 'USAGE') AS "notMember",
    NOT has_schema_privilege('${SCHEMA}', 'USAGE') AS "noSchemaUsage"
  FROM pg_roles WHERE rolname = current_user`

const TABLES = `
  SELECT concat_ws('.', nullif(nspname, 'public'), relname) AS name, pg_has_role(relowner, 'USAGE') AS owned,
    ARRAY(SELECT right_ FROM unnest($2::text[]) right_ WHERE has_table_privilege(pg_class.oid, right_)) AS rights
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE concat_ws('.', nullif(nspname, 'public'), relname) = ANY ($1) ORDER BY name`

interface Table { name: string, owned: boolean, rights: string[] }

export async function checkRights (client: Client): Promise<Finding> {
  const { rows: [{ notMember, noSchemaUsage, ...role } = {}] } = await client.query<Record<string, boolean>>(ROLE)
  const { rows: tables } = await client.query<Table>(TABLES, [Object.keys(NEEDED), ALL])
  const excess = role['is a superuser']
    ? ['is a superuser']
    : [...Object.keys(role).filter(attribute => role[attribute]), ...tables.flatMap(excessOn)]
  const lacking = tables.flatMap(lackingOn)
  if (noSchemaUsage) lacking.push(`USAGE on the schema ${SCHEMA}`)

  if (excess.length + lacking.length === 0) {
    return ok('The role of DATABASE_URL has exactly the rights that the service needs.')
  }
  const found: string[] = []
  const advice: string[] = []
  if (excess.length > 0) {
    found.push(`The role of DATABASE_URL has more rights than it needs: it ${excess.join(', ')}.`)
    advice.push('Use a role with LOGIN only in DATABASE_URL, the owner of the tables in MIGRATION_DATABASE_URL, ' +
      'and run gatehouse migrate.')
  }
  if (lacking.length > 0) {
    const grantedByMigrate = notMember || lacking.every(right => right.includes(SCHEMA))
    found.push(`The role of DATABASE_URL lacks ${lacking.join(', ')}.`)
    advice.push(grantedByMigrate
      ? 'Run gatehouse migrate with this DATABASE_URL: it grants the rights.'
      : 'Run gatehouse migrate, then repeat the GRANT statements of migrations/ as the owner of the tables.')
  }
  return problem(found.join(' '), advice.join(' '))
}

function lackingOn ({ name, rights }: Table): string[] {
  return (NEEDED[name] ?? []).filter(right => !rights.includes(right)).map(right => `${right} on ${name}`)
}

function excessOn ({ name, owned, rights }: Table): string[] {
  if (owned) return [`owns ${name}`]
  return rights.filter(right => !NEEDED[name]?.includes(right)).map(right => `has ${right} on ${name}`)
}
