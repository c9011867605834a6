import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { mailAlerts: ReturnType<typeof createMailAlerts> }
}

/** Alerts that were held back in an hour that is over. `message` is the last one of them. */
interface HeldAlerts { userId: string, message: object, count: number, from: Date, until: Date }

/** In an hour, for each kind of alert, account and mailbox. */
const MAX_ALERTS = 3

const COUNT = `
  INSERT INTO mail_alerts AS known (user_id, alert, email, message) VALUES ($1, $2, lower($3), $4)
  ON CONFLICT (user_id, alert, email) DO UPDATE SET count = known.count + 1, message = excluded.message,
    held_from = CASE WHEN known.count >= ${MAX_ALERTS} THEN coalesce(known.held_from, now()) END,
    held_until = CASE WHEN known.count >= ${MAX_ALERTS} THEN now() END
  RETURNING count`

const END_HOURS = `
  WITH ended AS (DELETE FROM mail_alerts WHERE began_at < now() - interval '1 hour' RETURNING *)
  SELECT user_id AS "userId", message, count - ${MAX_ALERTS} AS count, held_from AS "from", held_until AS "until"
  FROM ended WHERE count > ${MAX_ALERTS}`

function createMailAlerts ({ database }: FastifyInstance) {
  return {
    /** Counts an alert. Returns whether it is to be held back, for a summary. */
    async count (userId: string, alert: string, email: string, message: object): Promise<boolean> {
      const { rows: [row] } = await database.query<{ count: number }>(COUNT, [userId, alert, email, message])
      return row !== undefined && row.count > MAX_ALERTS
    },

    /** Ends the hours that are over. Atomic: only one concurrent caller gets what was held back in an hour. */
    async endHours (client: Queryable): Promise<HeldAlerts[]> {
      const { rows } = await client.query<HeldAlerts>(END_HOURS)
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('mailAlerts', createMailAlerts(app))
}, { name: 'mail-alerts', dependencies: ['database'] })
