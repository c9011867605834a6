import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { MessageType } from '../../../src/webhooks/messages.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { webhooksStore: ReturnType<typeof createWebhooksStore> }
}

export interface Webhook {
  id: string
  url: string
  events: Array<MessageType | '*'>
  notify: string | null
  createdAt: Date
  succeededAt: Date | null
  pausedAt: Date | null
  pausedFor: string | null
  /** It belongs to this application, and gets its back-channel logouts alone. */
  application: { id: string, name: string } | null
}

export type WebhookChange = Partial<Pick<Webhook, 'url' | 'events' | 'notify'>>
type NewWebhook = Pick<Webhook, 'id' | 'url' | 'events' | 'notify'> & { secret: string }

/** Encrypted. `previous` only as long as it signs, after a rotation. */
interface WebhookSecrets { current: string, previous: string | null }

const READ = `
  SELECT w.id, w.url, w.events, w.notify, w.created_at AS "createdAt", w.succeeded_at AS "succeededAt",
    w.paused_at AS "pausedAt", w.paused_for AS "pausedFor",
    CASE WHEN a.id IS NOT NULL THEN json_build_object('id', a.id, 'name', a.name) END AS application
  FROM webhooks w LEFT JOIN applications a ON a.id = w.application_id`

/** How long the previous secret also signs. */
const GRACE_PERIOD = '24 hours'

/** Endpoints that are told what happened. */
function createWebhooksStore ({ database }: FastifyInstance) {
  return {
    async list (): Promise<Webhook[]> {
      const { rows } = await database.query<Webhook>(`${READ} ORDER BY w.created_at, w.id`)
      return rows
    },

    async find (id: string): Promise<Webhook | undefined> {
      const { rows } = await database.query<Webhook>(`${READ} WHERE w.id = $1`, [id])
      return rows[0]
    },

    async add (client: Queryable, { id, url, events, notify, secret }: NewWebhook): Promise<void> {
      await client.query(
        'INSERT INTO webhooks (id, url, events, notify, secret) VALUES ($1, $2, $3, $4, $5)',
        [id, url, events, notify, secret]
      )
    },

    /** `notify`: null removes the address. Returns false if there is no such endpoint. */
    async change (client: Queryable, id: string, { url, events, notify }: WebhookChange): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE webhooks SET url = coalesce($2, url), events = coalesce($3, events),
          notify = CASE WHEN $4 THEN $5 ELSE notify END WHERE id = $1`,
      [id, url, events, notify !== undefined, notify])
      return rowCount === 1
    },

    async remove (client: Queryable, id: string): Promise<boolean> {
      const { rowCount } = await client.query('DELETE FROM webhooks WHERE id = $1', [id])
      return rowCount === 1
    },

    async secretsOf (id: string): Promise<WebhookSecrets | undefined> {
      const { rows } = await database.query<WebhookSecrets>(`
        SELECT secret AS current, CASE WHEN previous_until > now() THEN previous_secret END AS previous
        FROM webhooks WHERE id = $1`, [id])
      return rows[0]
    },

    /** The former secret also signs for a while. */
    async rotate (client: Queryable, id: string, secret: string): Promise<boolean> {
      const { rowCount } = await client.query(`
        UPDATE webhooks SET secret = $2, previous_secret = secret,
          previous_until = now() + interval '${GRACE_PERIOD}' WHERE id = $1`, [id, secret])
      return rowCount === 1
    },

    async replaceEncrypted (id: string, from: string, to: string) {
      await database.query('UPDATE webhooks SET secret = $3 WHERE id = $1 AND secret = $2', [id, from, to])
    },

    /** Returns false if it was paused before. */
    async pause (client: Queryable, id: string, reason: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'UPDATE webhooks SET paused_at = now(), paused_for = $2 WHERE id = $1 AND paused_at IS NULL', [id, reason])
      return rowCount === 1
    },

    /** What waits is sent at once, and has another day. Returns false if it was not paused. */
    async resume (client: Queryable, id: string): Promise<boolean> {
      const { rowCount } = await client.query(
        'UPDATE webhooks SET paused_at = NULL, paused_for = NULL WHERE id = $1 AND paused_at IS NOT NULL', [id])
      if (!rowCount) return false
      await client.query(`
        UPDATE webhook_deliveries SET due_at = now(), attempts = 0, first_attempt_at = NULL
        WHERE webhook_id = $1 AND status = 'waiting'`, [id])
      return true
    },
  }
}

export default fp(async function (app) {
  app.decorate('webhooksStore', createWebhooksStore(app))
}, { name: 'webhooks-store', dependencies: ['database'] })
