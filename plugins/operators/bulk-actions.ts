import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../src/errors.ts'
import { COMMAND_LINE } from '../../src/operators/actors.ts'
import type { BulkAction, BulkResult } from '../../src/operators/bulk-actions.ts'
import type { UserFilter } from '../records/accounts/user-filter.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { bulkActions: ReturnType<typeof createBulkActions> }
}

const GONE = 'The account does not exist any more.'
const CHANGED = 'The search does not find the account any more.'
const OPERATOR = 'This account is an operator. Change it alone.'

/**
 * The same change for many accounts, which the caller has found before: what begins to match meanwhile is left alone.
 * Each account has its own transaction and event, so that it can stop at any account and be repeated.
 */
function createBulkActions ({ administration, operators, userIds, users }: FastifyInstance) {
  const actions: Record<BulkAction, (user: User, by: string) => Promise<unknown>> = {
    disable: administration.disable,
    enable: administration.enable,
    'end-sessions': administration.endSessions,
    'expire-password': administration.expirePassword,
    delete: administration.remove,
  }

  return {
    /** For the accounts with these ids that `filter` still lets through. Operators are left out, for everyone. */
    async run (action: BulkAction, ids: string[], filter: UserFilter, by = COMMAND_LINE): Promise<BulkResult> {
      const result: BulkResult = { done: 0, unchanged: 0, skipped: [] }

      // Checked for each account when its turn comes: the accounts before it may have taken seconds.
      async function change (user: User) {
        if (!(await userIds.matching(filter, [user.id])).has(user.id)) throw new HttpError(409, CHANGED)
        if (await operators.has(user.id) || await operators.isSuspended(user.id)) throw new HttpError(409, OPERATOR)
        return await actions[action](user, by) !== false
      }

      for (const id of new Set(ids)) {
        const user = await users.findById(id)
        try {
          if (!user) throw new HttpError(409, GONE)
          if (await change(user)) result.done++
          else result.unchanged++
        } catch (error) {
          // A failure of the service ends the request: the caller sends it again.
          if (!(error instanceof HttpError) || error.statusCode >= 500) throw error
          result.skipped.push({ id, username: user?.username ?? null, reason: error.message })
        }
      }
      return result
    },
  }
}

export default fp(async function (app) {
  app.decorate('bulkActions', createBulkActions(app))
}, { name: 'bulk-actions', dependencies: ['administration', 'operators', 'user-ids', 'users'] })
