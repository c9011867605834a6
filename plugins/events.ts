import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { originOf } from '../src/request-origin.ts'
import type { Queryable } from './database.ts'

declare module 'fastify' {
  interface FastifyInstance { events: ReturnType<typeof createEvents> }
}

export type EventKind =
  | 'registered' | 'email_verified'
  | 'sign_in' | 'sign_in_failed' | 'sign_out'
  | 'refresh_reuse' | 'session_ended' | 'other_sessions_ended'
  | 'password_changed' | 'password_reset_requested' | 'password_reset'
  | 'account_deleted'
  | 'provider_linked' | 'provider_sign_in_failed'

export interface RecordedEvent { what: EventKind, ip: string | null, userAgent: string | null, at: Date }

const NEWEST = 50

function createEvents (app: FastifyInstance) {
  return {
    /** A row and a log line, neither with a secret. In a transaction, the row stands and falls with what it tells. */
    async record (what: EventKind, request: FastifyRequest, userId?: string, client: Queryable = app.database) {
      const { ip, userAgent } = originOf(request)
      await client.query('INSERT INTO auth_events (what, user_id, ip, user_agent) VALUES ($1, (SELECT id FROM users WHERE id = $2), $3, $4)', [what, userId, ip, userAgent])
      request.log.info({ event: what, userId, ip }, 'event')
    },

    /** What the owner of an account may want to know about it, newest first. */
    async list (userId: string): Promise<RecordedEvent[]> {
      const { rows } = await app.database.query<RecordedEvent>(
        `SELECT what, host(ip) AS ip, user_agent AS "userAgent", created_at AS at FROM auth_events WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${NEWEST}`, [userId])
      return rows
    },

    async happened (client: Queryable, what: EventKind, userId: string): Promise<boolean> {
      const { rowCount } = await client.query('SELECT FROM auth_events WHERE user_id = $1 AND what = $2 LIMIT 1', [userId, what])
      return Boolean(rowCount)
    },
  }
}

export default fp(async function (app) {
  app.decorate('events', createEvents(app))
}, { name: 'events', dependencies: ['database'] })
