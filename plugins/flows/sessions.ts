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

const ACCESS_LIFETIME = 15 * 60
const DAY = 24 * 60 * 60
const REFRESH_LIFETIME = 30 * DAY

function createSessions (app: FastifyInstance) {
  const { config, database, events, metrics, sessionsStore, tokenCookies, tokens } = app
  const refreshes = metrics.counter('gatehouse_refreshes_total', 'Refresh tokens that were presented: traded, traded again, used again too late, or refused', {
    outcome: ['rotated', 'repeated', 'reused', 'refused'],
  })

  function refreshClaims (record: RefreshRecord, username: string): Claims {
    const { userId, issuedAt: iat, expiresAt: exp, id: jti, familyId: sid, signedInAt } = record
    return { userId, username, iat, exp, jti, sid, use: 'refresh', auth_time: signedInAt }
  }

  function newRecord (userId: string, familyId: string, signedInAt?: number): RefreshRecord {
    const issuedAt = secondsNow()
    const since = signedInAt ?? issuedAt
    const expiresAt = Math.min(issuedAt + REFRESH_LIFETIME, since + config.SESSION_MAX_AGE * DAY)
    return { id: randomUUID(), familyId, userId, issuedAt, expiresAt, signedInAt: since }
  }

  /** A token that was just issued has its whole lifetime; one that is handed over again has what is left. */
  function setTokenCookies (reply: FastifyReply, record: RefreshRecord, username: string, refresh: string, iat = record.issuedAt) {
    const access = tokens.sign({ userId: record.userId, username, iat, exp: iat + ACCESS_LIFETIME, jti: randomUUID(), sid: record.familyId, use: 'access' })
    tokenCookies.set(reply, {
      access: { value: access, maxAge: ACCESS_LIFETIME },
      refresh: { value: refresh, maxAge: record.expiresAt - iat },
    })
  }

  /** The session that the cookies tell of, when they hold a token of ours at all. */
  function presented ({ cookies }: FastifyRequest): Claims | undefined {
    return tokens.read(cookies.refresh_token, 'refresh') ?? tokens.read(cookies.access_token, 'access')
  }

  async function endForReuse (request: FastifyRequest, reply: FastifyReply, userId: string, familyId: string) {
    await database.transact(async client => {
      if (await sessionsStore.revokeFamily(client, userId, familyId, 'reuse')) await events.record('refresh_reuse', request, userId, client)
    })
    tokenCookies.clear(reply)
  }

  function refusal (outcome: 'reused' | 'refused') {
    refreshes({ outcome })
    return new Unauthorized()
  }

  return {
    /**
     * Signs in, and ends the session that this browser had before. `announce` runs in the same transaction.
     * False when the account was disabled or its password changed since it was checked.
     */
    async open (user: User, request: FastifyRequest, reply: FastifyReply, announce?: (client: Queryable) => Promise<void>): Promise<boolean> {
      const record = newRecord(user.id, randomUUID())
      const refresh = tokens.sign(refreshClaims(record, user.username))
      const previous = presented(request)
      const add = (client: Queryable) => sessionsStore.add(client, refresh, record, clientOf(request), user.passwordHash)

      const opened = previous || announce
        ? await database.transact(async client => {
          if (!await add(client)) return false
          if (previous) await sessionsStore.revokeFamily(client, previous.userId, previous.sid, 'replaced')
          await announce?.(client)
          return true
        })
        : await add(database)
      if (!opened) return false

      events.log('sign_in', request, user.id)
      setTokenCookies(reply, record, user.username, refresh)
      return true
    },

    /** Trades the refresh cookie for new ones, and says whose it is. */
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
        refreshes({ outcome: 'rotated' })
        return owner
      }

      const found = await sessionsStore.inspect(value)
      if (!found || found.ended || !found.used) throw refusal('refused')
      if (!found.successor) {
        await endForReuse(request, reply, found.userId, found.familyId)
        throw refusal('reused')
      }
      const known = tokens.signAgain(refreshClaims(found.successor, username), Buffer.from(found.successor.digest, 'hex'))
      // Signed with a secret that is gone since.
      if (!known) throw refusal('refused')
      setTokenCookies(reply, found.successor, username, known, secondsNow())
      refreshes({ outcome: 'repeated' })
      return found.owner
    },

    /** Signs out. Nothing to end is as good as ended. */
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

    /** For `onRequest`, after `authenticate`: an access token outlives its session by minutes, in which it must change nothing. */
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
