import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { purge: ReturnType<typeof createPurge> }
}

/** Small, so that row locks are held only briefly. */
const BATCH_SIZE = 1_000

// Neither the session of the grant nor that of the browser has been live for a day, so that the application has been
// told. Of a session that was deleted with its account, the revocation stays for as long.
// A code that was never exchanged leaves a grant without a refresh token: a browser could add them without end. That of
// the command line has none, either, but an access token.
const GRANTS = `(
  refresh IS NULL AND application_grants.created_at < now() - interval '1 hour' AND NOT EXISTS (
    SELECT FROM openid_artifacts a
    WHERE a.grant_id = application_grants.id AND a.kind = 'AccessToken' AND a.expires_at > now())
  OR application_grants.created_at < now() - interval '1 day' AND NOT EXISTS (
    SELECT FROM refresh_tokens t WHERE t.id IN (application_grants.session_id, application_grants.signed_in_from)
      AND coalesce(t.revoked_at, t.expires_at) > now() - interval '1 day'
  ) AND NOT EXISTS (SELECT FROM revocations r WHERE r.sid = application_grants.signed_in_from))`

// Applications that registered themselves and hold nothing: a day later if no user has allowed them, or after 90 days.
const REGISTRATIONS = `registration IS NOT NULL
  AND coalesce(allowed_at + interval '90 days', applications.created_at + interval '1 day') < now()
  AND NOT EXISTS (SELECT FROM application_grants g WHERE g.application_id = applications.id)`

const EXPIRED = {
  // A day later at most: an index on the exact time would make every refresh slower.
  refresh_tokens: "purge_on <= (now() AT TIME ZONE 'UTC')::date",
  // Access checks need them for 15 minutes; webhooks announce them, also after an outage.
  revocations: `created_at < now() - interval '20 minutes'
    AND (canary OR changed_account IS NOT NULL OR created_at < now() - interval '1 day')`,
  one_time_tokens: "expires_at < now() - interval '1 day'",
  mail_codes: 'expires_at < now()',
  // For as long as they count: a deletion before that would give the tries back.
  mail_code_guesses: "wrong = 0 OR since < now() - interval '14 days'",
  used_challenges: "expires_at < now() - interval '1 hour'",
  operator_sessions: 'expires_at < now()',
  idempotency_keys: "created_at < now() - interval '1 day'",
  webhook_deliveries: "occurred_at < now() - interval '30 days'",
  // An event stays as long as its seal expects it: its own time is only what it claims.
  auth_events: `created_at < now() - interval '180 days' AND id NOT IN (
    SELECT unnest(event_ids) FROM audit_seals
    WHERE event_ids IS NOT NULL AND oldest < now() - interval '180 days' AND sealed_at >= now() - interval '180 days')`,
  openid_artifacts: 'expires_at < now()',
  // Until then, the device is told that its code has expired.
  device_codes: "expires_at < now() - interval '1 hour'",
  application_grants: GRANTS,
  application_secrets: 'ends_at < now()',
  applications: REGISTRATIONS,
  retired_signing_keys: 'keep_until < now()',
  sign_in_counts: "starts_at < now() - CASE size WHEN 'minute' THEN interval '1 day' ELSE interval '30 days' END",
  account_totals: "counted_at < now() - interval '30 days'",
  // Accounts that were never asked to verify their address stay: they date from EMAIL_VERIFICATION=off.
  users: `email_verified_at IS NULL AND password_hash IS NOT NULL AND first_signed_in_at IS NULL
    AND verification_sent_at < now() - interval '7 days'
    AND NOT EXISTS (SELECT FROM one_time_tokens o
      WHERE o.user_id = users.id AND o.kind = 'verify' AND o.used_at IS NULL AND o.expires_at > now())`,
}

type Table = keyof typeof EXPIRED

// The chain of seals stays without them.
const FORGET_DIGESTS = `
  UPDATE audit_seals SET event_ids = NULL, account_ids = NULL, digests = NULL
  WHERE event_ids IS NOT NULL AND newest < now() - interval '181 days' AND sealed_at < now() - interval '181 days'`

const recorded = (deletion: string) => `
  WITH deleted AS (${deletion} RETURNING id)
  INSERT INTO auth_events (what, account_id) SELECT 'account_deleted', id FROM deleted`

function createPurge (app: FastifyInstance) {
  const { config, database, jobs, log } = app

  /** One statement for each batch. The condition is repeated for rows that another instance changed meanwhile. */
  async function purgeTable (table: Table): Promise<number> {
    const statement = `
      DELETE FROM ${table}
      WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${EXPIRED[table]} LIMIT ${BATCH_SIZE}))
        AND ${EXPIRED[table]}`
    const { rowCount } = await database.query(table === 'users' ? recorded(statement) : statement)
    const deleted = rowCount ?? 0
    return deleted < BATCH_SIZE ? deleted : deleted + await purgeTable(table)
  }

  /** Deletes expired rows. Returns how many of each table. */
  async function run () {
    const deleted: Partial<Record<Table, number>> = {}
    for (const table of Object.keys(EXPIRED) as Table[]) {
      if (table === 'users' && config.EMAIL_VERIFICATION === 'off') continue
      deleted[table] = await purgeTable(table)
    }
    await database.query(FORGET_DIGESTS)
    log.info({ deleted }, 'purged')
    return deleted
  }

  jobs.handle('purge', run)
  return { run }
}

export default fp(async function (app) {
  app.decorate('purge', createPurge(app))
}, { name: 'purge', dependencies: ['database', 'jobs'] })
