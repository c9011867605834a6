import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Unauthorized } from '../../src/errors.ts'
import { clientOf } from '../../src/http/client-info.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { RefreshRecord } from '../records/sessions-store.ts'
import type { Claims } from '../credentials/tokens.ts'
import type { User } from '../records/users.ts'

declare module 'fastify' {
  interface FastifyInstance { sessions: ReturnType<typeof createSessions> }
}

/** Names a session, dead or alive. */
export type SessionReference = Pick<Claims, 'userId' | 'sid'>

interface OpenOptions {
  /** The previous session of this browser, which ends. */
  previous?: SessionReference
  /** Runs in the same transaction. */
  notifyOwner?: (client: Queryable) => Promise<void>
}

const ACCESS_LIFETIME = 15 * 60
const DAY = 24 * 60 * 60
const REFRESH_LIFETIME = 30 * DAY

function createSessions (app: FastifyInstance) {
  const { config, database, events, metrics, sessionsStore, tokenCookies, tokens } = app
  const countRefresh = metrics.counter(
    'gatehouse_refreshes_total',
    'Refresh requests: rotated, repeated within the grace period, reused after it, or refused',
    { outcome: ['rotated', 'repeated', 'reused', 'refused'] }
  )

  function refreshClaims (record: RefreshRecord, username: string): Claims {
    const { userId, issuedAt: iat, expiresAt: exp, id: jti, familyId: sid, signedInAt } = record
    return { userId, username, iat, exp, jti, sid, use: 'refresh', auth_time: signedInAt }
  }

  function newRecord (userId: string, familyId: string, signedInAt?: number): RefreshRecord {
    const issuedAt = secondsNow()
    const startedAt = signedInAt ?? issuedAt
    const expiresAt = Math.min(issuedAt + REFRESH_LIFETIME, startedAt + config.SESSION_MAX_AGE * DAY)
    return { id: randomUUID(), familyId, userId, issuedAt, expiresAt, signedInAt: startedAt }
  }

  /** `iat` is the present time. A refresh token that is sent again keeps its expiry. */
  function setTokenCookies (
    reply: FastifyReply,
    record: RefreshRecord,
    username: string,
    refresh: string,
    iat = record.issuedAt
  ) {
    const { userId, familyId: sid } = record
    const claims: Claims = { userId, username, iat, exp: iat + ACCESS_LIFETIME, jti: randomUUID(), sid, use: 'access' }
    const access = tokens.sign(claims)
    tokenCookies.set(reply, {
      access: { value: access, maxAge: ACCESS_LIFETIME },
      refresh: { value: refresh, maxAge: record.expiresAt - iat },
    })
  }

  /** The claims of a valid token in the cookies, which name the session. */
  function presented ({ cookies }: FastifyRequest): Claims | undefined {
    return tokens.read(cookies.refresh_token, 'refresh') ?? tokens.read(cookies.access_token, 'access')
  }

  async function revokeForReuse (request: FastifyRequest, reply: FastifyReply, userId: string, familyId: string) {
    await database.transact(async client => {
      const revoked = await sessionsStore.revokeFamily(client, userId, familyId, 'reuse')
      if (revoked) await events.record('refresh_reuse', request, userId, client)
    })
    tokenCookies.clear(reply)
  }

  function refusal (outcome: 'reused' | 'refused') {
    countRefresh({ outcome })
    return new Unauthorized()
  }

  return {
    presented,

    /**
     * Opens a session and ends the previous one of this browser, and those beyond the limit of an account.
     * `notifyOwner` runs in the same transaction.
     * Returns false if the account was disabled, or its password changed, since the password was checked.
     */
    async open (
      user: User,
      request: FastifyRequest,
      reply: FastifyReply,
      { previous, notifyOwner }: OpenOptions = {}
    ): Promise<boolean> {
      const record = newRecord(user.id, randomUUID())
      const refresh = tokens.sign(refreshClaims(record, user.username))
      const opened = await database.transact(async client => {
        if (!await sessionsStore.add(client, refresh, record, clientOf(request), user.passwordHash)) return false
        if (previous) await sessionsStore.revokeFamily(client, previous.userId, previous.sid, 'replaced')
        await sessionsStore.endExcess(client, record)
        await notifyOwner?.(client)
        return true
      })
      if (!opened) return false

      events.log('sign_in', request, user.id)
      setTokenCookies(reply, record, user.username, refresh)
      return true
    },

    /** Rotates the refresh token, sets new cookies and returns the user. */
    async refresh (request: FastifyRequest, reply: FastifyReply) {
      const value = request.cookies.refresh_token as string
      const claims = tokens.read(value, 'refresh')
      if (!claims) throw refusal('refused')
      const { userId, username, sid, auth_time: signedInAt } = claims
      const record = newRecord(userId, sid, signedInAt)
      const successor = tokens.sign(refreshClaims(record, username))
      const owner = await sessionsStore.rotate(value, { ...record, value: successor }, clientOf(request))
      if (owner) {
        setTokenCookies(reply, record, username, successor)
        countRefresh({ outcome: 'rotated' })
        return owner
      }

      const found = await sessionsStore.inspect(value)
      if (!found || found.ended || !found.used) throw refusal('refused')
      if (!found.successor) {
        await revokeForReuse(request, reply, found.userId, found.familyId)
        throw refusal('reused')
      }
      const { successor: issued } = found
      const repeated = tokens.signAgain(refreshClaims(issued, username), Buffer.from(issued.digest, 'hex'))
      // It was signed with a secret that is no longer configured.
      if (!repeated) throw refusal('refused')
      setTokenCookies(reply, issued, username, repeated, secondsNow())
      countRefresh({ outcome: 'repeated' })
      return found.owner
    },

    /** Signs out. Also succeeds without a session. */
    async close (request: FastifyRequest, reply: FastifyReply) {
      const session = presented(request)
      if (session) {
        await database.transact(async client => {
          const ended = await sessionsStore.revokeFamily(client, session.userId, session.sid, 'sign_out')
          if (ended) await events.record('sign_out', request, session.userId, client)
        })
      }
      tokenCookies.clear(reply)
    },

    /**
     * For `onRequest`, after `authenticate`: refuses changes when the session has ended,
     * because its access token stays valid for minutes.
     */
    async requireLive ({ user }: FastifyRequest) {
      if (!await sessionsStore.isLive(user.userId, user.sid)) throw new Unauthorized()
    },

    list: sessionsStore.live,

    async endOne (request: FastifyRequest, familyId: string): Promise<boolean> {
      return database.transact(async client => {
        const ended = await sessionsStore.revokeFamily(client, request.user.userId, familyId, 'ended_by_user')
        if (ended) await events.record('session_ended', request, request.user.userId, client)
        return ended
      })
    },

    async endOthers (request: FastifyRequest) {
      await database.transact(async client => {
        await sessionsStore.revokeAll(client, request.user.userId, 'ended_by_user', request.user.sid)
        await events.record('other_sessions_ended', request, request.user.userId, client)
      })
    },
  }
}

function secondsNow (): number {
  return Math.floor(Date.now() / 1000)
}

export default fp(async function (app) {
  app.decorate('sessions', createSessions(app))
}, { name: 'sessions', dependencies: ['database', 'events', 'metrics', 'sessions-store', 'cookies', 'tokens'] })
