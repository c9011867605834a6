import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
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

/** Longer ones are cut: the header is the client's to fill. */
export const USER_AGENT_LIMIT = 400

function createEvents (app: FastifyInstance) {
  return {
    /** A row and a log line, neither with a secret. In a transaction, the row stands and falls with what it tells. */
    async record (what: EventKind, request: FastifyRequest, userId?: string, client: Queryable = app.database) {
      await client.query(
        'INSERT INTO auth_events (what, user_id, ip, user_agent) VALUES ($1, $2, $3, $4)',
        [what, userId, request.ip, request.headers['user-agent']?.slice(0, USER_AGENT_LIMIT)])
      request.log.info({ event: what, userId, ip: request.ip }, 'event')
    },
  }
}

export default fp(async function (app) {
  app.decorate('events', createEvents(app))
}, { name: 'events', dependencies: ['database'] })
