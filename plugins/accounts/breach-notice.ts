import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { digest } from '../../src/secrets/digest.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Looks in the background whether a password that was just used is breached, and tells its owner once. */
    noticeBreach (user: User, password: string, request: FastifyRequest): void
  }
}

/** A password is looked up at most once in this time, however often it is used. */
const INTERVAL = 24 * 60 * 60_000

function createNoticeBreach (app: FastifyInstance): FastifyInstance['noticeBreach'] {
  const { config, counters, database, events, isBreached, mail, users } = app

  async function check ({ id, email, passwordHash }: User, password: string, request: FastifyRequest) {
    const key = `breach:${digest(`${id} ${passwordHash}`).toString('base64url')}`
    if ((await counters.take(key, INTERVAL)).count > 1 || !await isBreached(password)) return
    await database.transact(async client => {
      if (!await users.noteBreachTold(client, id, passwordHash)) return
      await events.record('breached_password_used', request, id, client)
      await mail.queue(client, { kind: 'breached-password', email })
    })
  }

  return function noticeBreach (user, password, request) {
    if (!config.BREACHED_PASSWORDS_URL) return
    check(user, password, request).catch(err => request.log.warn({ err }, 'could not look for a breached password'))
  }
}

export default fp(async function (app) {
  app.decorate('noticeBreach', createNoticeBreach(app))
}, { name: 'breach-notice', dependencies: ['breached-passwords', 'counters', 'database', 'events', 'mail', 'users'] })
