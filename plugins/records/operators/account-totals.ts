import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { IS_PLACEHOLDER } from '../../../src/accounts/placeholders.ts'

declare module 'fastify' {
  interface FastifyInstance { accountTotals: ReturnType<typeof createAccountTotals> }
}

export interface Totals { countedAt: Date, accounts: number, withSecondFactor: number, sessions: number }

// Not if another instance has counted within five minutes.
const COUNT = `
  INSERT INTO account_totals (counted_at, accounts, with_second_factor, sessions)
  SELECT date_trunc('minute', now()),
    (SELECT count(*) FROM users WHERE NOT (${IS_PLACEHOLDER})),
    (SELECT count(*) FROM (
      SELECT user_id FROM totp WHERE confirmed_at IS NOT NULL UNION SELECT user_id FROM passkeys) protected),
    (SELECT count(*) FROM refresh_tokens WHERE revoked_at IS NULL AND expires_at > now())
  WHERE NOT EXISTS (SELECT FROM account_totals WHERE counted_at > now() - interval '5 minutes')
  ON CONFLICT DO NOTHING`

export const LATEST_TOTALS = `
  SELECT counted_at AS "countedAt", accounts, with_second_factor AS "withSecondFactor", sessions
  FROM account_totals ORDER BY counted_at DESC LIMIT 1`

export const SESSIONS_BY_HOUR = `
  SELECT date_trunc('hour', counted_at, 'UTC') AS at, max(sessions) AS sessions
  FROM account_totals WHERE counted_at > now() - $1 * interval '1 hour' GROUP BY 1 ORDER BY 1`

export const SESSIONS_BY_DAY = `
  SELECT date_trunc('day', counted_at, 'UTC') AS at, max(sessions) AS sessions
  FROM account_totals WHERE counted_at > now() - $1 * interval '1 day' GROUP BY 1 ORDER BY 1`

/** How many accounts and sessions there are, counted now and then. */
function createAccountTotals ({ database }: FastifyInstance) {
  return {
    async count () {
      await database.query(COUNT)
    },

    /** Undefined until they have been counted once. */
    async latest (): Promise<Totals | undefined> {
      const { rows } = await database.query<Totals>(LATEST_TOTALS)
      return rows[0]
    },

    /** The most in each hour. */
    async sessionsByHour (hours: number): Promise<Array<{ at: Date, sessions: number }>> {
      const { rows } = await database.query<{ at: Date, sessions: number }>(SESSIONS_BY_HOUR, [hours])
      return rows
    },

    /** The most in each day of UTC. */
    async sessionsByDay (days: number): Promise<Array<{ at: Date, sessions: number }>> {
      const { rows } = await database.query<{ at: Date, sessions: number }>(SESSIONS_BY_DAY, [days])
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('accountTotals', createAccountTotals(app))
}, { name: 'account-totals', dependencies: ['database'] })
