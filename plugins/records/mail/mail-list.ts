import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { SCHEMA } from '../../../src/database/job-queues.ts'

declare module 'fastify' {
  interface FastifyInstance { mailList: ReturnType<typeof createMailList> }
}

interface ListedMail {
  id: string
  kind: string
  email: string
  state: 'waiting' | 'failed'
  retries: number
  createdAt: Date
  /** When it is sent or tried again. */
  dueAt: Date
}

const MAX_MAILS = 100

const LIST = `
  SELECT id, data->>'kind' AS kind, data->>'email' AS email, retry_count AS retries, created_on AS "createdAt",
    CASE WHEN state = 'failed' THEN 'failed' ELSE 'waiting' END AS state, start_after AS "dueAt"
  FROM ${SCHEMA}.job WHERE name = 'mail' AND (state < 'completed' OR state = 'failed')
  ORDER BY created_on DESC LIMIT ${MAX_MAILS}`

const COUNT = `
  SELECT count(*) FILTER (WHERE state < 'completed')::int AS waiting,
    count(*) FILTER (WHERE state = 'failed')::int AS failed
  FROM ${SCHEMA}.job WHERE name = 'mail' AND (state < 'completed' OR state = 'failed')`

/** Mails that wait to be sent, and those that were given up. */
function createMailList ({ database }: FastifyInstance) {
  return {
    /** How many of each. */
    async count (): Promise<{ waiting: number, failed: number }> {
      const { rows: [counts] } = await database.query<{ waiting: number, failed: number }>(COUNT)
      return counts ?? { waiting: 0, failed: 0 }
    },

    async list (): Promise<ListedMail[]> {
      const { rows } = await database.query<ListedMail>(LIST)
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('mailList', createMailList(app))
}, { name: 'mail-list', dependencies: ['database'] })
