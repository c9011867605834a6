import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { IS_PLACEHOLDER } from '../../../src/accounts/placeholders.ts'

declare module 'fastify' {
  interface FastifyInstance { accountExport: ReturnType<typeof createAccountExport> }
}

/** The names of `user import`. */
interface ExportedAccount {
  id: string
  username: string
  email: string
  name: string | null
  external_id: string | null
  email_verified: boolean
  password_hash?: string | null
  disabled: boolean
  created_at: Date
  language: string | null
  time_zone: string | null
  /** What applications keep about the user. */
  data: object | null
  /** At which providers the account has an identity. */
  providers: string[]
}

const PAGE_SIZE = 1_000

const PAGE = `
  SELECT id, username, email, name, external_id, email_verified_at IS NOT NULL AS email_verified, password_hash,
    disabled_at IS NOT NULL AS disabled, created_at, language, time_zone,
    (SELECT data FROM account_data WHERE user_id = users.id) AS data,
    array_remove(ARRAY[CASE WHEN provider_a_id IS NOT NULL THEN 'provider_a' END,
      CASE WHEN provider_b_id IS NOT NULL THEN 'provider_b' END], NULL)
      || ARRAY(SELECT provider FROM identities WHERE user_id = users.id ORDER BY provider) AS providers
  FROM users WHERE id > $1 AND NOT (${IS_PLACEHOLDER}) ORDER BY id LIMIT ${PAGE_SIZE}`

/** Page by page in the order of ids, so that neither the memory nor a transaction grows with the table. */
function createAccountExport ({ database }: FastifyInstance) {
  return async function * exportAccounts ({ withHashes }: { withHashes: boolean }): AsyncGenerator<ExportedAccount[]> {
    let after = '0'
    for (;;) {
      const { rows } = await database.query<ExportedAccount>({ name: 'export-accounts', text: PAGE, values: [after] })
      if (rows.length === 0) return
      yield withHashes ? rows : rows.map(({ password_hash: _, ...account }) => account)
      after = rows.at(-1)?.id as string
    }
  }
}

export default fp(async function (app) {
  app.decorate('accountExport', createAccountExport(app))
}, { name: 'account-export', dependencies: ['database'] })
