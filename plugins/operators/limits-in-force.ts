import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Counters } from '../../src/counters/counters.ts'
import { HttpError } from '../../src/errors.ts'
import { clientGroup, isAddress } from '../../src/edge/client-address.ts'
import {
  clearLimits, limitsOfAddress, limitsOfLogin, listLimits, readLimits, type LimitCounter,
} from '../../src/limits/in-force.ts'
import { foldLogin } from '../../src/limits/keys.ts'
import { mayChangeOperators } from '../../src/operators/actors.ts'
import { AccountOfOperator } from '../../src/operators/errors.ts'

declare module 'fastify' {
  interface FastifyInstance { limitsInForce: ReturnType<typeof createLimitsInForce> }
}

/** A client address or a login name. */
interface Subject { address?: string, account?: string }

interface Found {
  limits: LimitCounter[]
  /** The account of the login name. */
  userId?: string
  /** The client, or a login name without an account. */
  name: string
}

/** The longest name that an event has. */
const MAX_NAME = 100

/** What the limits have counted. Without Redis, these are the counters of this instance. */
function createLimitsInForce (app: FastifyInstance) {
  const { config, counters, database, events, limitOwners, operators, users } = app

  /** Several logins have one counter: whether an operator has it. */
  async function isOfOperator (login: string): Promise<boolean> {
    const logins = (await operators.list()).flatMap(({ username, email }) => [username, email])
    return logins.some(each => foldLogin(each) === foldLogin(login))
  }

  async function find ({ address, account = '' }: Subject): Promise<Found> {
    if (address === undefined) {
      const userId = (await users.findByLogin(account))?.id
      return { limits: limitsOfLogin(account, userId), userId, name: account }
    }
    if (!isAddress(address)) throw new HttpError(400, 'The address must be an IPv4 or IPv6 address.')
    return { limits: limitsOfAddress(address), name: clientGroup(address) }
  }

  async function record ({ userId, name }: Found, by: string) {
    if (userId) await events.recordByOperator('limits_cleared', userId, database, by)
    else await events.recordOfService('limits_cleared', name.slice(0, MAX_NAME), database, by)
  }

  return {
    /** The limits of a client or login name. Without either: those that have counted something, at most 200. */
    async read (subject: Subject) {
      const { limits, isComplete } = Object.keys(subject).length === 0
        ? await listLimits(counters, config)
        : { limits: await readLimits(counters, config, (await find(subject)).limits), isComplete: true }
      return { limits: await limitOwners.name(limits), isComplete }
    },

    /** Recorded first: no limit is cleared without an event. Returns the names of those that had counted something. */
    async clear (subject: Subject, by: string, from: Pick<Counters, 'clear' | 'peek'> = counters): Promise<string[]> {
      // Otherwise a key could guess the codes of an operator without a limit.
      if (!mayChangeOperators(by) && await isOfOperator(subject.account ?? '')) throw new AccountOfOperator()
      const found = await find(subject)
      const counted = (await readLimits(from, config, found.limits)).filter(({ count }) => count > 0)
      if (counted.length === 0) return []
      await record(found, by)
      return clearLimits(from, found.limits)
    },
  }
}

export default fp(async function (app) {
  app.decorate('limitsInForce', createLimitsInForce(app))
}, { name: 'limits-in-force', dependencies: ['counters', 'database', 'events', 'limit-owners', 'operators', 'users'] })
