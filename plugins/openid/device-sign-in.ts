import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { TooManyRequests } from '../../src/errors.ts'
import { createAttempts } from '../../src/limits/attempts.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { turnSignal } from '../../src/edge/turn.ts'
import type { BrowserSession } from '../records/openid/browser-sessions.ts'
import type { Visit } from './openid.ts'

declare module 'fastify' {
  interface FastifyInstance { deviceSignIn: ReturnType<typeof createDeviceSignIn> }
}

/** What the provider says of a code that it does not accept. */
const WRONG = ['NotFoundError', 'ExpiredError', 'AlreadyUsedError']

const isWrong = ({ device }: Visit) => device?.page === 'enter' && WRONG.includes(device.problem ?? '')

/** A user enters the code of another device, and allows it to sign in. */
function createDeviceSignIn ({ config, counters, events, openid }: FastifyInstance) {
  const attempts = createAttempts(counters, {
    ...figuresOf(LIMITS.deviceCodes, config),
    onDecision: () => {},
    refusal: seconds => new TooManyRequests('Too many wrong codes.', seconds),
  })

  /** Lets the provider compute the response, and records that the user has allowed it. */
  async function visit (request: FastifyRequest, reply: FastifyReply, session: BrowserSession): Promise<Visit> {
    const visited = await openid.visit(request, reply, session)
    if (visited.device?.page === 'done') {
      await events.record('device_allowed', request, session.userId, undefined, visited.ctx?.oidc.client?.clientId)
    }
    return visited
  }

  return {
    visit,

    /** Counts wrong codes for the address. An outage does not count. */
    async enter (request: FastifyRequest, reply: FastifyReply, session: BrowserSession): Promise<Visit> {
      const attempt = await attempts.begin(LIMITS.deviceCodes.key(request.ip), turnSignal(reply))
      const visited = await visit(request, reply, session).catch(async error => {
        await attempts.release(attempt)
        throw error
      })
      await (isWrong(visited) ? attempts.fail(attempt) : attempts.release(attempt))
      return visited
    },
  }
}

export default fp(async function (app) {
  if (app.config.OPENID === 'on') app.decorate('deviceSignIn', createDeviceSignIn(app))
}, { name: 'device-sign-in', dependencies: ['counters', 'events', 'openid'] })
