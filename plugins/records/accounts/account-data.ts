import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { textOf, type AccountData } from '../../../src/accounts/data.ts'
import { DataChanged } from '../../../src/accounts/errors.ts'
import { NoSuchUser } from '../../../src/operators/errors.ts'
import type { Queryable } from '../../infrastructure/database.ts'

declare module 'fastify' {
  interface FastifyInstance { accountData: ReturnType<typeof createAccountData> }
}

interface StoredData {
  data: AccountData
  /** How often it has changed. */
  version: number
}

const FIND = 'SELECT data, version FROM account_data WHERE user_id = $1'

const WRITE = `
  INSERT INTO account_data AS stored (user_id, data) VALUES ($1, $2)
  ON CONFLICT (user_id) DO UPDATE SET data = $2, version = stored.version + 1, updated_at = now()`

/** What applications keep about a user. `checkData` has checked what is written. */
function createAccountData ({ database, events }: FastifyInstance) {
  async function find (userId: string, client: Queryable = database): Promise<StoredData> {
    const { rows } = await client.query<StoredData>({ name: 'account-data', text: FIND, values: [userId] })
    return rows[0] ?? { data: {}, version: 0 }
  }

  /**
   * In a transaction. Throws DataChanged if `version` is given and another one is stored: of two writers at once, the
   * second waits for the lock. Returns whether it is another value.
   */
  async function replace (client: Queryable, userId: string, data: AccountData, version?: number): Promise<boolean> {
    const { rowCount } = await client.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId])
    if (!rowCount) throw new NoSuchUser()
    const stored = await find(userId, client)
    if (version !== undefined && version !== stored.version) throw new DataChanged()
    const text = textOf(data)
    // As it would be read: the text of -0 is 0.
    if (isDeepStrictEqual(stored.data, JSON.parse(text))) return false
    await client.query(WRITE, [userId, text])
    return true
  }

  return {
    find,
    replace,

    /** The same with its event. `by`: who made the change. */
    async store (client: Queryable, userId: string, data: AccountData, by: string) {
      const changed = await replace(client, userId, data)
      if (changed) await events.recordByOperator('profile_changed', userId, client, by, 'data')
    },
  }
}

export default fp(async function (app) {
  app.decorate('accountData', createAccountData(app))
}, { name: 'account-data', dependencies: ['database', 'events'] })
