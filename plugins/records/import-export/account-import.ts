import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { textOf, type AccountData } from '../../../src/accounts/data.ts'
import type { Account } from '../../../src/import-export/account.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { accountImport: ReturnType<typeof createAccountImport> }
}

/** Email and username are in lower case. */
export interface Existing {
  id: string
  email: string
  username: string
  hasPassword: boolean
  externalId: string | null
}

export type NewAccount = Account & { username: string }

const EXISTING = `
  SELECT id, lower(email) AS email, lower(username) AS username, password_hash IS NOT NULL AS "hasPassword",
    external_id AS "externalId"
  FROM users`
const FIND = `
  ${EXISTING} WHERE lower(email) = ANY($1)
  UNION ${EXISTING} WHERE lower(username) = ANY($2) AND password_hash IS NOT NULL
  UNION ${EXISTING} WHERE external_id = ANY($3)`

const INSERT = `
  INSERT INTO users
    (username, email, name, password_hash, email_verified_at, disabled_at, created_at, language, external_id, time_zone)
  SELECT username, email, name, hash, CASE WHEN verified THEN now() END, CASE WHEN disabled THEN now() END,
    coalesce(created_at, now()), language, external_id, time_zone
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::boolean[], $7::timestamptz[],
    $8::text[], $9::text[], $10::text[])
    AS given (username, email, name, hash, verified, disabled, created_at, language, external_id, time_zone)
  ON CONFLICT DO NOTHING
  RETURNING id, email`

const INSERT_DATA = `
  INSERT INTO account_data (user_id, data)
  SELECT id, data::json FROM unnest($1::bigint[], $2::text[]) AS given (id, data)`

/** Many accounts with few queries. */
function createAccountImport ({ database }: FastifyInstance) {
  return {
    /** The accounts that have one of these addresses or usernames, which are in lower case, or external ids. */
    async find (emails: string[], usernames: string[], externalIds: string[]): Promise<Existing[]> {
      const { rows } = await database.query<Existing>(FIND, [emails, usernames, externalIds])
      return rows
    },

    /**
     * Leaves out those whose address, username or external id is taken. They need not verify their address within
     * days.
     */
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
        column(({ externalId }) => externalId),
        column(({ timeZone }) => timeZone),
      ])
      return rows
    },

    /** Of new accounts. */
    async insertData (client: Queryable, given: Array<{ id: string, data: AccountData }>) {
      if (given.length === 0) return
      await client.query(INSERT_DATA, [given.map(({ id }) => id), given.map(({ data }) => textOf(data))])
    },
  }
}

export default fp(async function (app) {
  app.decorate('accountImport', createAccountImport(app))
}, { name: 'account-import', dependencies: ['database'] })
