import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { purge: ReturnType<typeof createPurge> }
}

/** Few enough that nobody waits for their locks. */
const BATCH = 1_000

const DUE = {
  // A revoked row stands for its whole family: it stays as long as any of them could be used.
  refresh_tokens: `expires_at < now() AND (revoked_at IS NULL
    OR NOT EXISTS (SELECT FROM refresh_tokens f WHERE f.family_id = refresh_tokens.family_id AND f.expires_at >= now()))`,
  one_time_tokens: "expires_at < now() - interval '1 day'",
  auth_events: "created_at < now() - interval '180 days'",
  // Whoever has signed in did so while addresses were not verified: that account is in use.
  users: `email_verified_at IS NULL AND password_hash IS NOT NULL AND created_at < now() - interval '7 days'
    AND first_signed_in_at IS NULL`,
}

type Table = keyof typeof DUE

function createPurge (app: FastifyInstance) {
  const { config, database, jobs, log } = app

  /** Each batch is a statement of its own. Two instances that meet at a row wait for one another, and one deletes it. */
  async function purgeTable (table: Table): Promise<number> {
    const { rowCount } = await database.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${DUE[table]} LIMIT ${BATCH})) AND ${DUE[table]}`)
    const deleted = rowCount ?? 0
    return deleted < BATCH ? deleted : deleted + await purgeTable(table)
  }

  /** Deletes what is past its time and says how many rows of each. */
  async function run () {
    const deleted: Partial<Record<Table, number>> = {}
    for (const table of Object.keys(DUE) as Table[]) {
      if (table === 'users' && config.EMAIL_VERIFICATION === 'off') continue
      deleted[table] = await purgeTable(table)
    }
    log.info({ deleted }, 'purged')
    return deleted
  }

  jobs.handle('purge', run)
  return { run }
}

export default fp(async function (app) {
  app.decorate('purge', createPurge(app))
}, { name: 'purge', dependencies: ['database', 'jobs'] })
