import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { setTimeout as sleep } from 'node:timers/promises'
import { EVERY_SESSION } from '../../src/database/after-restore.ts'
import { createRevocationFeed, type Revocation } from '../../src/database/revocation-feed.ts'
import { Unavailable } from '../../src/errors.ts'
import { ACCESS_LIFETIME } from '../../src/sessions/session.ts'
import { createRevokedSessions } from '../../src/sessions/revoked-sessions.ts'

declare module 'fastify' {
  interface FastifyInstance { revocations: ReturnType<typeof createRevocations> }
}

/** Longer than an access token is valid, in case the clocks of instances differ. */
const ENTRY_LIFETIME = (ACCESS_LIFETIME + 60) * 1_000
/** A read that began longer ago may miss a sign-out: an instance that was suspended must not trust it. */
const MAX_AGE = 2_000
/** An access check waits at most this long for a read. */
const READ_TIMEOUT = 1_000
/** With REVOCATION_FEED_LOST=refuse, access checks fail after this time without a read. */
const LOST_AFTER = 5_000
/** Startup goes on without PostgreSQL after this time. */
const BOOT_TIMEOUT = 1_000

/** The sessions that ended lately, on any instance. */
function createRevocations (app: FastifyInstance) {
  const { config, log, metrics } = app
  const refuses = config.REVOCATION_FEED_LOST === 'refuse'
  const revoked = createRevokedSessions(ENTRY_LIFETIME)
  const observeDelay = metrics.durations(
    'gatehouse_revocation_seconds',
    'Time until the end of a session reaches this instance, measured every 10 seconds'
  )({})
  let readAt = -Infinity
  /** In seconds since 1970: access tokens that were issued before are refused. */
  let issuedAfter = -Infinity
  let failed = false
  let nextRead = Promise.withResolvers<void>()
  const jobListeners: Array<(queue: string) => void> = []
  const accountListeners: Array<(userId?: string) => void> = []

  const feed = createRevocationFeed(config, {
    onRead (revocations: Revocation[], beganAt: number, isReplay: boolean) {
      if (isReplay) accountListeners.forEach(listen => listen())
      // The first read also finds those from before the start.
      const isFirst = readAt === -Infinity
      for (const { sid, canary, changedAccount, age } of revocations) {
        if (changedAccount) accountListeners.forEach(listen => listen(changedAccount))
        else if (sid === EVERY_SESSION) issuedAfter = Math.max(issuedAfter, Date.now() / 1_000 - age)
        else if (revoked.add(sid) && canary && !isFirst) observeDelay(age)
      }
      revoked.forgetOld()
      if (failed) log.info('revocations can be read again')
      failed = false
      readAt = beganAt
      nextRead.resolve()
      nextRead = Promise.withResolvers<void>()
    },
    onFailure: fail,
    onJob: queue => jobListeners.forEach(listen => listen(queue)),
  })

  function fail (err: unknown) {
    if (!failed) log.warn({ err }, 'revocations cannot be read: other instances may have ended sessions')
    failed = true
  }

  const age = () => performance.now() - readAt
  const canWait = () => age() > MAX_AGE && !failed
  const isUp = () => age() < LOST_AFTER

  /** Waits for a new read, unless reads fail. Throws if access must be refused without one. */
  async function catchUp () {
    const deadline = performance.now() + READ_TIMEOUT
    while (canWait() && performance.now() < deadline) {
      feed.readNow()
      await Promise.race([nextRead.promise, sleep(deadline - performance.now(), undefined, { ref: false })])
    }
    if (canWait()) fail(new Error(`no response within ${READ_TIMEOUT} ms`))
    if (refuses && !isUp()) throw new Unavailable(new Error('revocations cannot be read'))
  }

  metrics.gauge(
    'gatehouse_revocation_feed_up',
    'Whether revocations were read within 5 seconds (1 or 0)',
    () => Number(isUp())
  )
  metrics.gauge('gatehouse_revoked_sessions', 'Ended sessions in memory', () => revoked.size)

  let follows = true
  app.addHook('onReady', async function followRevocations () {
    if (!follows) return
    feed.start()
    await Promise.race([nextRead.promise, sleep(BOOT_TIMEOUT, undefined, { ref: false })])
  })
  app.addHook('onClose', feed.stop)

  return {
    /** Whether an access token of this session, issued at this time, is refused. */
    has: (sid: string, issuedAt: number): boolean => issuedAt < issuedAfter || revoked.has(sid),

    /** Whether `catchUp` must be awaited first. On the hot path: no promise while reads succeed. */
    isBehind: (): boolean => age() > MAX_AGE && (!failed || refuses),

    catchUp,

    /** Whether access checks are answered, and know the sessions that ended before the start. */
    isReady: (): boolean => isUp() || (!refuses && readAt > -Infinity),

    /** Whether they were read within 5 seconds. */
    isUp,

    /** PostgreSQL notifies of new jobs on the connection of this feed. */
    onJob (listen: (queue: string) => void) {
      jobListeners.push(listen)
    },

    /** The data of an account has changed, on any instance. Undefined: any may have, before this connection. */
    onChangedAccount (listen: (userId?: string) => void) {
      accountListeners.push(listen)
    },

    /** For a process that checks no access tokens. Call it before the app is ready. */
    ignore () {
      follows = false
    },
  }
}

export default fp(async function (app) {
  app.decorate('revocations', createRevocations(app))
}, { name: 'revocations', dependencies: ['metrics'] })
