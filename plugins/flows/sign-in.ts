import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { deviceName } from '../../src/http/device-name.ts'
import { clientOf } from '../../src/http/client-info.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { User } from '../records/users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** However somebody proved who they are. False when the account was disabled, or its password changed, meanwhile. */
    signIn (user: User, request: FastifyRequest, reply: FastifyReply): Promise<boolean>
  }
}

function createSignIn (app: FastifyInstance): FastifyInstance['signIn'] {
  const { knownBrowsers, mail, sessions } = app

  return async function signIn (user, request, reply) {
    async function announce (client: Queryable) {
      const { ip, userAgent } = clientOf(request)
      await mail.queue(client, { kind: 'new-sign-in', email: user.email, ip, device: deviceName(userAgent), at: new Date().toISOString() })
    }

    // Of a browser not seen before the owner is told. The very first sign-in is no news.
    const isNews = user.firstSignedInAt !== null && !knownBrowsers.knows(request, user)
    const opened = await sessions.open(user, request, reply, isNews ? announce : undefined)
    if (opened) knownBrowsers.remember(request, reply, user)
    return opened
  }
}

export default fp(async function (app) {
  app.decorate('signIn', createSignIn(app))
}, { name: 'sign-in', dependencies: ['known-browsers', 'mail', 'sessions'] })
