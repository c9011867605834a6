import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { clientOf } from '../../../src/edge/client-address.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { events: ReturnType<typeof createEvents> }
}

export const KINDS = [
  'registered', 'imported', 'accounts_imported',
  'profile_changed', 'email_verified', 'email_change_requested', 'email_changed', 'email_change_undone',
  'sign_in', 'sign_in_failed', 'sign_in_refused', 'sign_out',
  'refresh_reuse', 'session_theft_suspected', 'session_ended', 'other_sessions_ended',
  'password_changed', 'password_reset_requested', 'password_reset', 'breached_password_used',
  'account_deleted',
  'provider_linked', 'provider_removed', 'provider_sign_in_failed',
  'account_disabled', 'account_enabled', 'password_set', 'password_expired', 'all_sessions_ended',
  'totp_added', 'totp_removed', 'recovery_codes_created', 'recovery_code_used', 'second_factor_failed',
  'passkey_added', 'passkey_renamed', 'passkey_removed', 'password_added', 'identity_confirmed', 'factors_reset',
  'data_exported', 'data_exported_by_operator',
  'operator_added', 'operator_role_changed', 'operator_removed', 'limits_cleared',
  'webhook_added', 'webhook_changed', 'webhook_paused', 'webhook_resumed', 'webhook_rotated', 'webhook_resent',
  'webhook_removed', 'key_added', 'key_ended',
  'application_added', 'application_changed', 'application_secret_rotated', 'application_removed',
  'application_allowed', 'device_allowed', 'application_disconnected', 'application_token_reused',
] as const

export type EventKind = typeof KINDS[number]

export interface RecordedEvent {
  what: EventKind
  ip: string | null
  userAgent: string | null
  subject: string | null
  byOperator: boolean
  at: Date
}

const MAX_EVENTS = 50

function createEvents (app: FastifyInstance) {
  const count = app.metrics.counter(
    'gatehouse_events_total',
    'Security events, such as successful and failed sign-ins, ended sessions and changed passwords',
    { event: KINDS }
  )

  function log (what: EventKind, request: FastifyRequest, userId?: string) {
    request.log.info({ event: what, userId, ip: clientOf(request).ip }, 'event')
    count({ event: what })
  }

  return {
    /** Logs and counts an event whose row another statement inserts. */
    log,

    /**
     * Inserts a row and logs the event, both without secrets. Pass `client` to insert within its transaction.
     * Of an account that does not exist any more, the row has the id in another column.
     * `subject`: what else it concerns, such as the id of an application.
     */
    async record (
      what: EventKind,
      request: FastifyRequest,
      userId?: string,
      client: Queryable = app.database,
      subject?: string
    ) {
      const { ip, userAgent } = clientOf(request)
      await client.query(`
        INSERT INTO auth_events (what, user_id, account_id, ip, user_agent, subject)
        SELECT $1, users.id, CASE WHEN users.id IS NULL THEN $2::bigint END, $3::inet, $4, $5
        FROM (VALUES (true)) AS always LEFT JOIN users ON users.id = $2`, [what, userId, ip, userAgent, subject])
      log(what, request, userId)
    },

    /** `by`: who made the change. Without the address of the operator, which is no concern of the owner. */
    async recordByOperator (what: EventKind, userId: string, client: Queryable, by: string, subject?: string) {
      await client.query(`
        INSERT INTO auth_events (what, user_id, account_id, actor, subject)
        SELECT $1, users.id, CASE WHEN users.id IS NULL THEN $2::bigint END, $3, $4
        FROM (VALUES (true)) AS always LEFT JOIN users ON users.id = $2`, [what, userId, by, subject])
      app.log.info({ event: what, userId, by }, 'event')
      count({ event: what })
    },

    /** For what concerns no account: `subject` names it. Without `by`: the service did it. */
    async recordOfService (what: EventKind, subject: string, client: Queryable, by?: string) {
      const { rows: [recorded] } = await client.query<{ salt: string, at: Date }>(`
        INSERT INTO auth_events (what, subject, actor) VALUES ($1, $2, $3) RETURNING salt, created_at AS at`,
      [what, subject, by])
      app.log.info({ event: what, subject, by }, 'event')
      count({ event: what })
      return recorded as { salt: string, at: Date }
    },

    /** One event for each of these accounts. */
    async recordAllByOperator (what: EventKind, userIds: string[], client: Queryable, by: string) {
      await client.query(
        'INSERT INTO auth_events (what, user_id, actor) SELECT $1, unnest($2::bigint[]), $3',
        [what, userIds, by]
      )
    },

    /** The recent events of an account, newest first. */
    async list (userId: string): Promise<RecordedEvent[]> {
      const { rows } = await app.database.query<RecordedEvent>(`
        SELECT what, host(ip) AS ip, user_agent AS "userAgent", subject, actor IS NOT NULL AS "byOperator",
          created_at AS at
        FROM auth_events WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${MAX_EVENTS}`, [userId])
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('events', createEvents(app))
}, { name: 'events', dependencies: ['database', 'metrics'] })
