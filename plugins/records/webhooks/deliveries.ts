import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { LOGOUT, type Logout, type Message } from '../../../src/webhooks/messages.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { deliveries: ReturnType<typeof createDeliveries> }
}

export interface Delivery {
  id: string
  webhookId: string
  messageId: string
  type: Message['type']
  accountId: string | null
  data: Message['data']
  at: Date
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  firstAttemptAt: Date | null
  dueAt: Date
  endedAt: Date | null
  answerStatus: number | null
  answer: string | null
  error: string | null
}

export interface Outcome {
  status: Delivery['status']
  answerStatus?: number
  answer?: string
  error?: string
  /** Milliseconds until the next attempt. */
  retryIn?: number
}

export const DELIVERY_COLUMNS = `
  d.id, d.webhook_id AS "webhookId", d.message_id AS "messageId", d.type, d.account_id AS "accountId",
  d.data, d.occurred_at AS at, d.status, d.attempts, d.first_attempt_at AS "firstAttemptAt", d.due_at AS "dueAt",
  d.ended_at AS "endedAt", d.answer_status AS "answerStatus", d.answer, d.error`

// The endpoint of an application gets nothing but logouts, also if an operator has chosen events for it on version 0.2.
const ADD = `
  INSERT INTO webhook_deliveries (webhook_id, message_id, type, account_id, data, occurred_at)
  SELECT w.id, m.id, m.type, m."accountId", m.data, m.at
  FROM jsonb_to_recordset($1) AS m(id text, type text, "accountId" bigint, data jsonb, at timestamptz, number integer)
  JOIN webhooks w ON w.application_id IS NULL AND w.events && ARRAY[m.type, '*']
    AND m.at >= date_trunc('milliseconds', w.created_at)
  ORDER BY m.number
  ON CONFLICT DO NOTHING`

const ADD_LOGOUTS = `
  INSERT INTO webhook_deliveries (webhook_id, message_id, type, account_id, data, occurred_at)
  SELECT w.id, m.id, m.type, m."accountId", m.data, m.at
  FROM jsonb_to_recordset($1)
    AS m(id text, type text, "applicationId" uuid, "accountId" bigint, data jsonb, at timestamptz)
  JOIN webhooks w ON w.application_id = m."applicationId"
  ON CONFLICT DO NOTHING`

// For each account the oldest first, and none before it was delivered or given up. Only logouts need no order: one
// that fails must not delay that of another session. An instance that dies leaves the delivery to another one, after
// the time that it has for it.
const CLAIM = `
  UPDATE webhook_deliveries d SET due_at = now() + interval '30 seconds', attempts = attempts + 1,
    first_attempt_at = coalesce(first_attempt_at, now())
  WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries c
    WHERE webhook_id = $1 AND status = 'waiting' AND due_at <= now()
      AND NOT EXISTS (SELECT FROM webhook_deliveries e WHERE e.webhook_id = $1 AND e.status = 'waiting'
        AND e.account_id = c.account_id AND e.id < c.id AND c.type <> '${LOGOUT}')
      AND EXISTS (SELECT FROM webhooks w WHERE w.id = $1 AND w.paused_at IS NULL)
    ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED))
  RETURNING ${DELIVERY_COLUMNS}`

// Not if another instance has claimed it again meanwhile.
const END = `
  WITH ended AS (
    UPDATE webhook_deliveries SET status = $3, answer_status = $4, answer = $5, error = $6,
      due_at = now() + $7 * interval '1 millisecond', ended_at = CASE WHEN $3 <> 'waiting' THEN now() END
    WHERE id = $1 AND attempts = $2 AND status = 'waiting'
    RETURNING webhook_id
  )
  UPDATE webhooks SET succeeded_at = now() FROM ended WHERE id = webhook_id AND $3 = 'delivered'`

function createDeliveries ({ database }: FastifyInstance) {
  return {
    /** For the endpoints that want them, in this order. Messages that were added before are not added again. */
    async add (client: Queryable, messages: Message[]) {
      if (messages.length === 0) return
      await client.query(ADD, [JSON.stringify(messages.map((message, number) => ({ ...message, number })))])
    },

    /** For the applications that have an endpoint. */
    async addLogouts (client: Queryable, logouts: Logout[]) {
      if (logouts.length > 0) await client.query(ADD_LOGOUTS, [JSON.stringify(logouts)])
    },

    /** The endpoints that have something to be sent. */
    async due (): Promise<string[]> {
      const { rows } = await database.query<{ id: string }>(`
        SELECT id FROM webhooks w WHERE paused_at IS NULL AND EXISTS (
          SELECT FROM webhook_deliveries WHERE webhook_id = w.id AND status = 'waiting' AND due_at <= now())`)
      return rows.map(({ id }) => id)
    },

    async claim (webhookId: string, limit: number): Promise<Delivery[]> {
      const { rows } = await database.query<Delivery>(CLAIM, [webhookId, limit])
      return rows
    },

    async end ({ id, attempts }: Delivery, { status, answerStatus, answer, error, retryIn = 0 }: Outcome) {
      await database.query(END, [id, attempts, status, answerStatus, answer, error, retryIn])
    },

    /** Sends it once more, with the same message id. Returns false if it has not ended. */
    async resend (client: Queryable, id: string): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE webhook_deliveries SET status = 'waiting', due_at = now(), attempts = 0, first_attempt_at = NULL,
          ended_at = NULL WHERE id = $1 AND status <> 'waiting'`, [id])
      return rowCount === 1
    },
  }
}

export default fp(async function (app) {
  app.decorate('deliveries', createDeliveries(app))
}, { name: 'deliveries', dependencies: ['database'] })
