import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Account } from '../../../src/import-export/account.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { accountImport: ReturnType<typeof createAccountImport> }
}

/** In lower case. */
export interface Existing { email: string, username: string, hasPassword: boolean }

export type NewAccount = Account & { username: string }

const FIND = `
  SELECT lower(email) AS email, lower(username) AS username, password_hash IS NOT NULL AS "hasPassword"
  FROM users WHERE lower(email) = ANY($1)
  UNION
  SELECT lower(email), lower(username), true
  FROM users WHERE lower(username) = ANY($2) AND password_hash IS NOT NULL`

const INSERT = `
  INSERT INTO users
    (username, email, name, password_hash, email_verified_at, disabled_at, created_at, language)
  SELECT username, email, name, hash, CASE WHEN verified THEN now() END, CASE WHEN disabled THEN now() END,
    coalesce(created_at, now()), language
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::boolean[], $7::timestamptz[],
    $8::text[]) AS given (username, email, name, hash, verified, disabled, created_at, language)
  ON CONFLICT DO NOTHING
  RETURNING id, email`

/** Many accounts with few queries. */
function createAccountImport ({ database }: FastifyInstance) {
  return {
    /** The accounts that have one of these addresses or usernames, which are in lower case. */
    async find (emails: string[], usernames: string[], client: Queryable = database): Promise<Existing[]> {
      const { rows } = await client.query<Existing>(FIND, [emails, usernames])
      return rows
    },

    /** Leaves out those whose address or username is taken. They need not verify their address within days. */
    async insert (client: Queryable, accounts: NewAccount[]): Promise<Array<{ id: string, email: string }>> {
      const column = <T>(of: (account: NewAccount) => T) => accounts.map(of)
      const { rows } = await client.query<{ id: string, email: string }>(INSERT, [
        column(({ username }) => username),
        column(({ email }) => email),
        column(({ name }) => name),
        column(({ passwordHash }) => passwordHash),
        column(({ emailVerified }) => emailVerified),
        column(({ disabled }) => disabled),
        column(({ createdAt }) => createdAt),
        column(({ language }) => language),
      ])
      return rows
    },
  }
}

export default fp(async function (app) {
  app.decorate('accountImport', createAccountImport(app))
}, { name: 'account-import', dependencies: ['database'] })
