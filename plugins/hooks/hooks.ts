import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { AccountData } from '../../src/accounts/data.ts'
import { clientOf } from '../../src/edge/client-address.ts'
import { HookAway, RefusedByApplication } from '../../src/hooks/errors.ts'
import { createHook } from '../../src/hooks/hook.ts'
import { hookActor } from '../../src/operators/actors.ts'
import { atMostEvery } from '../../src/observability/at-most-every.ts'
import { reasonOf } from '../../src/observability/error-reason.ts'
import type { Method } from '../../src/sessions/session.ts'
import { languageOf } from '../../src/site/language.ts'
import { rulesOf } from '../../src/webhooks/address.ts'
import { accountIn } from '../../src/webhooks/messages.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance { hooks: ReturnType<typeof createHooks> }
}

/** What is known before the account is made. The username is null if it will be made from the name. */
interface NewAccount {
  method: 'password' | 'mail' | 'provider'
  /** Of a registration through a provider. */
  provider?: string
  email: string
  emailVerified: boolean
  username: string | null
  name: string | null
}

type Name = 'registration' | 'sign_in'

/**
 * Stores the data of the answer: call it in the transaction that makes the account or opens the session. Undefined if
 * the answer has none.
 */
export type StoreData = ((client: Queryable, userId: string) => Promise<void>) | undefined

/** While the application is away, one log line in this time instead of one for each question. */
const REPORT_INTERVAL = 60_000

/**
 * Questions to the application, which may refuse a registration or a sign-in: REGISTRATION_HOOK and SIGN_IN_HOOK.
 * Never ask inside a transaction: an answer may take 2 seconds.
 */
function createHooks (app: FastifyInstance) {
  const { accountData, config, events, log, metrics } = app
  const count = metrics.counter(
    'gatehouse_hook_answers_total',
    'Answers of the application to the hooks: allowed, denied, or away (none that counts within 2 seconds)',
    { hook: ['registration', 'sign_in'], outcome: ['allowed', 'denied', 'away'] }
  )
  const durations = metrics.durations('gatehouse_hook_seconds', 'Time that users wait for the answer to a hook')

  const storing = (name: Name, data: AccountData | undefined): StoreData =>
    data && ((client, userId) => accountData.store(client, userId, data, hookActor(name)))

  /** Resolves if the application allows it, or is away and need not be asked. */
  function create (name: Name, setting: 'REGISTRATION_HOOK' | 'SIGN_IN_HOOK') {
    const observe = durations({ hook: name })
    const { [setting]: url, [`${setting}_AWAY` as const]: whenAway, HOOK_SECRET: secret } = config
    if (!url || !secret) return undefined
    const hook = createHook({ url, secret, ...rulesOf(config) })
    app.addHook('onClose', async () => hook.close())
    const report = atMostEvery(REPORT_INTERVAL, (error: unknown) =>
      log.warn({ hook: name, reason: reasonOf(error), whenAway }, 'the application gives no answer to a hook'))

    return async function ask (request: FastifyRequest, data: object): Promise<StoreData> {
      const began = performance.now()
      const about = { ...data, language: languageOf(request), ...clientOf(request) }
      const answer = await hook.ask(`${name}.requested`, about).catch((cause: unknown) => ({ cause }))
      observe((performance.now() - began) / 1_000)
      if ('cause' in answer) {
        count({ hook: name, outcome: 'away' })
        report(answer.cause)
        if (whenAway === 'allow') return undefined
        throw new HookAway(setting, answer.cause)
      }
      count({ hook: name, outcome: answer.allow ? 'allowed' : 'denied' })
      if (answer.allow) return storing(name, answer.data)
      request.log.info({ hook: name }, 'the application refused')
      throw new RefusedByApplication(answer.message)
    }
  }

  const askAboutRegistration = create('registration', 'REGISTRATION_HOOK')
  const askAboutSignIn = create('sign_in', 'SIGN_IN_HOOK')

  return {
    /** Before it is known whether the address has an account: otherwise the response and its time would tell. */
    async beforeRegistration (request: FastifyRequest, account: NewAccount): Promise<StoreData> {
      return askAboutRegistration?.(request, account)
    },

    /** After the last proof: everything that a wrong one would get is the same with and without a hook. */
    async beforeSignIn (request: FastifyRequest, user: User, amr: Method[]): Promise<StoreData> {
      try {
        return await askAboutSignIn?.(request, { userId: user.id, user: accountIn(user), amr })
      } catch (error) {
        // The proof was right: the owner should know.
        if (error instanceof RefusedByApplication) await events.record('sign_in_refused', request, user.id)
        throw error
      }
    },
  }
}

export default fp(async function (app) {
  app.decorate('hooks', createHooks(app))
}, { name: 'hooks', dependencies: ['account-data', 'events', 'metrics'] })
