import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../../src/errors.ts'
import { clientOf } from '../../src/edge/client-address.ts'
import { withSecondFactor, type EndReason, type Method } from '../../src/sessions/session.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { Claims } from './tokens.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { sessions: ReturnType<typeof createSessions> }
}

/** Identifies a session, which may have ended. */
export type SessionReference = Pick<Claims, 'userId' | 'sid'>

interface OpenOptions {
  /** How the user proved who they are. */
  amr: Method[]
  /** The previous session of this browser, which ends. */
  previous?: SessionReference
  /** Whether the owner is told of it by mail. */
  isAlarming?: boolean
  /** Runs in the same transaction. */
  also?: (client: Queryable) => Promise<void>
}

function createSessions (app: FastifyInstance) {
  const { database, deviceBinding, events, factors, knownBrowsers, replaceSession } = app
  const { sessionReplacements, sessionsStore, sessionTokens, tokenCookies, tokens, users } = app

  /** The claims of a valid token in the cookies, which name the session. */
  function presented (request: FastifyRequest): Claims | undefined {
    return tokens.refreshOf(request) ?? tokens.accessOf(request, true)
  }

  /** The user of this session proved once more who they are: a new session takes its place. */
  async function prove (request: FastifyRequest, reply: FastifyReply, session: SessionReference, amr: Method[]) {
    const successor = await database.transact(async client => {
      const successor = await replaceSession.begin(client, request, session, amr)
      await events.record('identity_confirmed', request, session.userId, client)
      return successor
    })
    replaceSession.finish(request, reply, successor)
  }

  /** Ends the session of this browser, also if the response to a proof, which replaced it, has not come yet. */
  async function endOwn (
    client: Queryable,
    request: FastifyRequest,
    { userId, sid }: SessionReference,
    reason: EndReason
  ): Promise<boolean> {
    if (await sessionsStore.revoke(client, userId, sid, reason)) return true
    const key = replaceSession.keyOf(request)
    const successor = key && await sessionReplacements.successorOf(client, sid, key)
    return successor ? sessionsStore.revoke(client, userId, successor, reason) : false
  }

  return {
    presented,

    /**
     * Opens a session and ends the previous one of this browser, and those beyond the limit of an account.
     * `also` runs in the same transaction.
     * Returns false if the account was disabled, or its password or factors changed, since they were checked.
     */
    async open (
      user: User,
      request: FastifyRequest,
      reply: FastifyReply,
      { amr, previous, isAlarming, also }: OpenOptions
    ): Promise<boolean> {
      const mustEnrol = await factors.mustEnrol(user.id)
      const session = sessionTokens.first(user.id)
      const refreshToken = sessionTokens.sign(session, user.username)
      const details = {
        refreshToken, client: clientOf(request), account: user, amr, previousId: previous?.sid, isAlarming,
      }
      async function addWithChanges (client: Queryable) {
        if (!await sessionsStore.add(client, session, details)) return false
        if (previous) await endOwn(client, request, previous, 'replaced')
        await also?.(client)
        return true
      }
      // One statement needs no transaction, which would be two more round trips.
      const opened = previous || also
        ? await database.transact(addWithChanges)
        : await sessionsStore.add(database, session, details)
      if (!opened) return false

      events.log('sign_in', request, user.id)
      const { issuedAt: authTime } = session
      sessionTokens.setCookies(reply, session, user.username, { authTime, amr, mustEnrol }, refreshToken, authTime)
      deviceBinding.offer(reply, session.id)
      return true
    },

    prove,

    /** The same with a second factor, in addition to what the session proved before. */
    proveSecondFactor: (request: FastifyRequest, reply: FastifyReply, method: 'otp' | 'hwk') =>
      prove(request, reply, request.user, withSecondFactor(request.user, method)),

    /** Signs out. Also succeeds without a session. */
    async close (request: FastifyRequest, reply: FastifyReply) {
      const session = presented(request)
      if (session) {
        await database.transact(async client => {
          const ended = await endOwn(client, request, session, 'sign_out')
          if (ended) await events.record('sign_out', request, session.userId, client)
        })
      }
      tokenCookies.clear(reply)
    },

    /**
     * For `onRequest`, after `authenticate`: refuses changes when the session has ended, also in the moment
     * before this instance knows it, and while it cannot read the revocations.
     */
    async requireLive ({ user }: FastifyRequest) {
      if (!await sessionsStore.isLive(user.userId, user.sid)) throw new Unauthorized()
    },

    list: sessionsStore.live,

    async endOne (request: FastifyRequest, id: string): Promise<boolean> {
      return database.transact(async client => {
        const ended = await sessionsStore.revoke(client, request.user.userId, id, 'ended_by_user')
        if (ended) await events.record('session_ended', request, request.user.userId, client)
        return ended
      })
    },

    /** Also ends the known browsers of an account without a password, except this one. */
    async endOthers (request: FastifyRequest, reply: FastifyReply) {
      const { userId, sid } = request.user
      const user = await users.findById(userId)
      const isKnown = user && knownBrowsers.browserOf(request, user)
      const passwordHash = await database.transact(async client => {
        // A session that was replaced meanwhile must not end the one that goes on.
        if (!await sessionReplacements.lock(client, userId, sid)) throw new Unauthorized()
        await sessionsStore.revokeAll(client, userId, 'ended_by_user', sid)
        await events.record('other_sessions_ended', request, userId, client)
        return users.renewNoPassword(client, userId)
      })
      if (isKnown && passwordHash) await knownBrowsers.remember(request, reply, { id: userId, passwordHash }, true)
    },
  }
}

export default fp(async function (app) {
  app.decorate('sessions', createSessions(app))
}, {
  name: 'sessions',
  dependencies: [
    'cookies', 'database', 'device-binding', 'events', 'factors', 'known-browsers', 'replace-session',
    'session-replacements', 'session-tokens', 'sessions-store', 'tokens', 'users',
  ],
})
