import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { HttpError } from '../../../src/errors.ts'
import { plainAddress } from '../../../src/http/client-address.ts'
import { clearLimits, limitsOfAddress, limitsOfLogin, readLimits, type Limit } from '../../../src/limits/in-force.ts'
import { listLimits } from '../../../src/limits/list.ts'

declare module 'fastify' {
  interface FastifyInstance { limitsInForce: ReturnType<typeof createLimitsInForce> }
}

/** A client address or a login name. */
interface Subject { address?: string, account?: string }

/** What the limits have counted. Without Redis, these are the counters of this instance. */
function createLimitsInForce ({ config, counters, log, users }: FastifyInstance) {
  async function of ({ address, account = '' }: Subject): Promise<Limit[]> {
    if (address === undefined) return limitsOfLogin(config, account, (await users.findByLogin(account))?.id)
    const plain = plainAddress(address)
    if (!isIP(plain) || plain === '::') throw new HttpError(400, 'The address must be an IPv4 or IPv6 address.')
    return limitsOfAddress(config, address)
  }

  return {
    /** Of one client or login name. Without either: all that have counted something, within bounds. */
    async read (subject: Subject) {
      if (Object.keys(subject).length === 0) return listLimits(counters, config)
      return { limits: await readLimits(counters, await of(subject)), isComplete: true }
    },

    async clear (subject: Subject, by: string): Promise<string[]> {
      const cleared = await clearLimits(counters, await of(subject))
      log.info({ ...subject, cleared, by }, 'limits cleared')
      return cleared
    },
  }
}

export default fp(async function (app) {
  app.decorate('limitsInForce', createLimitsInForce(app))
}, { name: 'limits-in-force', dependencies: ['counters', 'users'] })
