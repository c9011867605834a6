import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { clientOf } from '../../src/edge/client-address.ts'
import { deviceName } from '../../src/sessions/device-name.ts'

declare module 'fastify' {
  interface FastifyInstance { suspectedTheft: ReturnType<typeof createSuspectedTheft> }
}

/** For each account. A thief with the cookies could otherwise fill the tables. */
const MAX_AN_HOUR = 20
const HOUR_MS = 3_600_000

/** The tokens of a bound session came without its key: they are probably a copy from another device. */
function createSuspectedTheft ({ counters, database, events, mail, tokenCookies }: FastifyInstance) {
  return {
    /** Records it and tells the owner. The session goes on, because a copy is of no use without the key. */
    async report (request: FastifyRequest, reply: FastifyReply, { id, email }: { id: string, email: string }) {
      const { count } = await counters.take(`suspected-theft:${id}`, HOUR_MS)
      if (count > MAX_AN_HOUR) return tokenCookies.clearProof(reply)
      const { ip, userAgent } = clientOf(request)
      const at = new Date().toISOString()
      await database.transact(async client => {
        await events.record('session_theft_suspected', request, id, client)
        await mail.queue(client, { kind: 'session-theft', email, ip, device: deviceName(userAgent), at })
      })
      // If it was the browser of the owner after all, its next refresh comes with a new proof.
      tokenCookies.clearProof(reply)
    },
  }
}

export default fp(async function (app) {
  app.decorate('suspectedTheft', createSuspectedTheft(app))
}, { name: 'suspected-theft', dependencies: ['cookies', 'counters', 'database', 'events', 'mail'] })
