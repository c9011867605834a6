import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { newAttempt, type Counters } from '../counters/counters.ts'
import { TooManyLogins } from '../errors.ts'
import { createAttempts, secondsOf, type StartedAttempt } from './attempts.ts'
import { figuresOf, LIMITS, PASSWORD_LIMITS, type Limit } from './registry.ts'

type Attempts = ReturnType<typeof createAttempts>

interface Options {
  counters: Counters
  config: Config
  listener: keyof typeof PASSWORD_LIMITS
  count(decision: { limit: string, outcome: 'passed' | 'refused' }): void
}

/** A browser that has signed in to the account before. */
interface KnownBrowser { id: string, user: { id: string } }

/**
 * The limits on guesses at a password. @fastify/rate-limit has no attempts that are undecided,
 * and runs one limiter a request.
 */
export function createPasswordLimits ({ counters, config, listener, count }: Options) {
  const limits = PASSWORD_LIMITS[listener]
  const attemptsOf = (limit: Limit) => createAttempts(counters, {
    ...figuresOf(limit, config),
    onDecision: outcome => count({ limit: limit.name, outcome }),
  })
  const byClient = attemptsOf(limits.login)
  const byAccount = attemptsOf(limits.account)
  const byKnownBrowsers = attemptsOf(LIMITS.knownBrowsers)
  const underWay = new WeakMap<FastifyRequest, Array<[Attempts, StartedAttempt]>>()
  const checked = new WeakSet<FastifyRequest>()
  const signIns = figuresOf(limits.signIns, config)
  const countedAs = new WeakMap<FastifyRequest, string>()

  async function begin (request: FastifyRequest, attempts: Attempts, key: string, turn: AbortSignal) {
    const started = await attempts.begin(key, turn)
    underWay.set(request, [...underWay.get(request) ?? [], [attempts, started]])
    return started
  }

  /** Ends the attempts of a request, each once. */
  function takeUnderWay (request: FastifyRequest): Array<[Attempts, StartedAttempt]> {
    const list = underWay.get(request) ?? []
    underWay.delete(request)
    return list
  }

  async function beginClient (request: FastifyRequest, reply: FastifyReply, key: string, turn: AbortSignal) {
    reply.headers(byClient.headers({ failed: 0, resetMs: 0 }))
    reply.headers(byClient.headers(await begin(request, byClient, key, turn)))
  }

  async function beginAccount (
    request: FastifyRequest,
    login: string,
    browser: KnownBrowser | undefined,
    turn: AbortSignal
  ) {
    await begin(request, byAccount, limits.account.key(login, browser?.id), turn)
    if (browser) await begin(request, byKnownBrowsers, LIMITS.knownBrowsers.key(browser.user.id), turn)
  }

  /** Counted only when they succeed: those under way may exceed the limit by their number. */
  function requireSignInsLeft (use: Awaited<ReturnType<Counters['peek']>>) {
    const isReached = use !== undefined && use.count >= signIns.max
    count({ limit: limits.signIns.name, outcome: isReached ? 'refused' : 'passed' })
    if (isReached) throw new TooManyLogins(secondsOf(use.resetMs))
  }

  const release = (request: FastifyRequest) =>
    Promise.all(takeUnderWay(request).map(([attempts, attempt]) => attempts.release(attempt)))

  return {
    /** Before a login is checked. Waits for its turn while others of this client are under way. */
    async beginLogin (
      request: FastifyRequest,
      reply: FastifyReply,
      login: string,
      browser: KnownBrowser | undefined,
      turn: AbortSignal
    ) {
      const key = browser ? LIMITS.knownBrowser.key(browser.user.id, browser.id) : limits.login.key(request.ip)
      await beginClient(request, reply, key, turn)
      const signInsKey = limits.signIns.key(login, browser?.id)
      // At once with the other counter, so that it costs no round trip.
      const [use] = await Promise.all([
        counters.peek(signInsKey),
        beginAccount(request, login, browser, turn),
      ])
      requireSignInsLeft(use)
      countedAs.set(request, signInsKey)
    },

    /** Before a passkey is checked. It names no account, and wrong passwords of the same client do not count. */
    beginPasskey: (request: FastifyRequest, reply: FastifyReply, turn: AbortSignal) =>
      beginClient(request, reply, limits.passkey.key(request.ip), turn),

    /** Before a code or a link of a mail is checked. */
    beginMailCode: (request: FastifyRequest, reply: FastifyReply, turn: AbortSignal) =>
      beginClient(request, reply, LIMITS.mailCodes.key(request.ip), turn),

    /** Before the password of the signed-in user is checked again. */
    beginAccount,

    /** The password was compared: from now on only a success does not count. */
    markChecked (request: FastifyRequest) {
      checked.add(request)
    },

    async succeed (request: FastifyRequest) {
      const key = countedAs.get(request)
      await Promise.all([release(request), key && counters.take(key, signIns.windowSeconds * 1_000)])
    },

    /** Counts where a password was compared: otherwise failing writes would allow unlimited guesses. */
    async settle (request: FastifyRequest, reply: FastifyReply) {
      if (!checked.has(request)) {
        await release(request)
        return
      }
      await Promise.all(takeUnderWay(request).map(async ([attempts, attempt]) => {
        const failures = await attempts.fail(attempt)
        if (attempts === byClient) reply.headers(attempts.headers(failures))
      }))
    },

    /** A request that is no login at all counts for its address. */
    async countMalformed (request: FastifyRequest, reply: FastifyReply) {
      reply.headers(byClient.headers(await byClient.fail(newAttempt(limits.login.key(request.ip)))))
    },
  }
}
