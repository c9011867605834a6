import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { InvalidCode, InvalidPasskey, LoginStepOver, TooManyCodes } from '../../src/factors/errors.ts'
import { factorMethods, type FactorMethod } from '../../src/factors/methods.ts'
import { turnSignal } from '../../src/edge/turn.ts'
import { createAttempts } from '../../src/limits/attempts.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import type { ProviderLink } from '../../src/providers/profile.ts'
import type { User } from '../records/accounts/users.ts'
import type { FirstStep } from './login-steps.ts'

declare module 'fastify' {
  interface FastifyInstance { secondFactor: ReturnType<typeof createSecondFactor> }
}

interface Answer { code?: string, passkey?: AuthenticationResponseJSON }

const isTotp = (code: string) => /^\d{6}$/.test(code.replace(/\s/g, ''))

function createSecondFactor (app: FastifyInstance) {
  const { counters, database, events, factors, loginSteps, mail, metrics, passkeys } = app
  const { recoveryCodesStore, rememberedBrowsers, totp } = app
  const count = metrics.counter(
    'gatehouse_second_factor_total',
    'Second factors: asked for, skipped in a remembered browser, passed, wrong, or refused by the limit',
    { outcome: ['asked', 'remembered', 'passed', 'wrong', 'refused'] }
  )
  const attempts = createAttempts(counters, {
    ...figuresOf(LIMITS.codes, app.config),
    onDecision: outcome => { if (outcome === 'refused') count({ outcome }) },
    refusal: seconds => new TooManyCodes(seconds),
  })

  async function useRecoveryCode ({ id, email }: User, code: string, request: FastifyRequest): Promise<boolean> {
    return database.transact(async client => {
      if (!await recoveryCodesStore.use(client, id, code)) return false
      await events.record('recovery_code_used', request, id, client)
      await mail.queue(client, { kind: 'factors-changed', email, change: 'recovery_code_used' })
      return true
    })
  }

  /** Whether a code of the authenticator app or a recovery code is right. Each is accepted once. */
  async function accept (user: User, code: string, request: FastifyRequest): Promise<boolean> {
    return isTotp(code) ? totp.accept(user.id, code) : useRecoveryCode(user, code, request)
  }

  /** Counts a wrong code for `key`. An outage does not count: the response is then the same for every code. */
  async function isRight (key: string, user: User, code: string, request: FastifyRequest, reply: FastifyReply) {
    const attempt = await attempts.begin(key, turnSignal(reply))
    const accepted = await accept(user, code, request).catch(async error => {
      await attempts.release(attempt)
      throw error
    })
    await (accepted ? attempts.release(attempt) : attempts.fail(attempt))
    count({ outcome: accepted ? 'passed' : 'wrong' })
    if (!accepted) await events.record('second_factor_failed', request, user.id)
    return accepted
  }

  /** Throws InvalidPasskey, also for a passkey of another user. It cannot be guessed: no limit of its own. */
  async function requirePasskey (
    user: User,
    passkey: AuthenticationResponseJSON,
    request: FastifyRequest,
    status: 401 | 403
  ) {
    const isRight = (await passkeys.verify(passkey, request))?.id === user.id
    count({ outcome: isRight ? 'passed' : 'wrong' })
    if (isRight) return
    await events.record('second_factor_failed', request, user.id)
    throw new InvalidPasskey(status)
  }

  return {
    /**
     * After the first step of a login. Returns what the account can prove the second factor with,
     * or undefined if none is asked for: the account has none, or remembers this browser.
     */
    async ask (
      user: User,
      first: FirstStep,
      request: FastifyRequest,
      reply: FastifyReply,
      link?: ProviderLink
    ): Promise<FactorMethod[] | undefined> {
      const methods = factorMethods(await factors.ofUser(user))
      if (methods.length === 0) return undefined
      if (rememberedBrowsers.isRemembered(request, reply, user)) {
        count({ outcome: 'remembered' })
        return undefined
      }
      count({ outcome: 'asked' })
      loginSteps.begin(user, first, reply, link)
      return methods
    },

    /**
     * Finishes the login that this browser began. Returns its user, its first step, and what is linked after it.
     * `limit` counts wrong codes.
     */
    async finish (
      { code, passkey }: Answer,
      request: FastifyRequest,
      reply: FastifyReply,
      limit: typeof LIMITS.codes = LIMITS.codes
    ) {
      const step = await loginSteps.find(request)
      if (!step || !await loginSteps.takeTry(step)) {
        loginSteps.clear(reply)
        throw new LoginStepOver()
      }
      if (passkey) await requirePasskey(step.user, passkey, request, 401)
      else if (!await isRight(limit.key(step.user.id), step.user, code ?? '', request, reply)) {
        throw new InvalidCode(401)
      }
      loginSteps.clear(reply)
      if (!await loginSteps.use(step)) throw new LoginStepOver()
      return step
    },

    /** A signed-in user proves it again. Counted for the session, so that its thief cannot lock the owner out. */
    async confirm (
      user: User,
      code: string,
      request: FastifyRequest,
      reply: FastifyReply,
      sid = request.user.sid
    ) {
      const key = LIMITS.codesOfSession.key(sid)
      if (!await isRight(key, user, code, request, reply)) throw new InvalidCode(403)
    },

    confirmPasskey: (user: User, passkey: AuthenticationResponseJSON, request: FastifyRequest) =>
      requirePasskey(user, passkey, request, 403),
  }
}

export default fp(async function (app) {
  app.decorate('secondFactor', createSecondFactor(app))
}, {
  name: 'second-factor',
  dependencies: [
    'counters', 'database', 'events', 'factors', 'login-steps', 'mail', 'metrics', 'passkeys',
    'recovery-codes-store', 'remembered-browsers', 'totp',
  ],
})
