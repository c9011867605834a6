import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { ListedLimit } from '../../../src/limits/in-force.ts'

declare module 'fastify' {
  interface FastifyInstance { limitOwners: ReturnType<typeof createLimitOwners> }
}

/** The account that a limit counts for. Null if it counts for none, or the account or session is gone. */
interface LimitOwner { userId: string | null, username: string | null }

const FIND = `
  SELECT u.id::text AS who, u.id AS "userId", u.username FROM users u WHERE u.id = ANY ($1::bigint[])
  UNION ALL
  SELECT t.id::text, u.id, u.username FROM refresh_tokens t JOIN users u ON u.id = t.user_id
  WHERE t.id = ANY ($2::uuid[])`

// Keys of counters are no values of the database: what does not have the form is left out.
const isUserId = (who: string) => /^\d{1,18}$/.test(who)
const isSessionId = (who: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(who)

/** Names the accounts of limits, whose counters only have ids. */
function createLimitOwners ({ database }: FastifyInstance) {
  return {
    async name (limits: ListedLimit[]): Promise<Array<ListedLimit & LimitOwner>> {
      const idsOf = (subject: string, isId: (who: string) => boolean) =>
        limits.filter(limit => limit.subject === subject && isId(limit.who)).map(({ who }) => who)
      const { rows } = await database.query<LimitOwner & { who: string }>(
        FIND, [idsOf('user', isUserId), idsOf('session', isSessionId)])
      const owners = new Map(rows.map(({ who, ...owner }) => [who, owner]))
      return limits.map(limit => ({ ...limit, ...owners.get(limit.who) ?? { userId: null, username: null } }))
    },
  }
}

export default fp(async function (app) {
  app.decorate('limitOwners', createLimitOwners(app))
}, { name: 'limit-owners', dependencies: ['database'] })
