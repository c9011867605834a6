import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { chosenLanguage, keepAccountLanguage, requestedLanguage } from '../../src/site/language.ts'
import type { Method } from '../../src/sessions/session.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { User } from '../records/accounts/users.ts'
import type { SessionReference } from './sessions.ts'

interface SignInOptions {
  /** How the user proved who they are. */
  amr: Method[]
  /** The session to be replaced, where the request itself cannot present it. */
  previous?: SessionReference
  /** Whether the browser was known before the password hash was renewed. */
  isKnown?: boolean
  /** Runs in the transaction that opens the session. */
  also?: (client: Queryable) => Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Opens a session for a user who has proved who they are. Returns false if the account was disabled,
     * or its password or factors changed, meanwhile. The session that the request presents ends, or else `previous`.
     * Throws if the application refuses: SIGN_IN_HOOK.
     */
    signIn (user: User, request: FastifyRequest, reply: FastifyReply, options: SignInOptions): Promise<boolean>
  }
}

function createSignIn (app: FastifyInstance): FastifyInstance['signIn'] {
  const { config, events, hooks, knownBrowsers, metrics, sessions, users } = app
  const countSignIn = metrics.counter(
    'gatehouse_sign_ins_total',
    'Successful sign-ins, by method and by whether a second factor was proved',
    { method: ['password', 'provider', 'passkey', 'mail'], second_factor: ['yes', 'no'] }
  )

  return async function signIn (user, request, reply, { amr, previous, isKnown, also }) {
    const storeData = await hooks.beforeSignIn(request, user, amr)

    // A language that the user chose on a page replaces the one before. That of the browser does not.
    const chosen = chosenLanguage(request)
    const language = chosen ?? user.language ?? requestedLanguage(request)

    const isKnownBrowser = isKnown ?? knownBrowsers.browserOf(request, user) !== undefined
    const newLanguage = language !== user.language ? language : undefined

    async function noteChanges (client: Queryable) {
      await also?.(client)
      await storeData?.(client, user.id)
      if (newLanguage) await users.setLanguage(client, user.id, newLanguage)
      if (newLanguage && chosen) await events.record('profile_changed', request, user.id, client, 'language')
    }

    const opened = await sessions.open(user, request, reply, {
      amr,
      previous: sessions.presented(request) ?? previous,
      // Not for the first sign-in.
      isAlarming: user.firstSignedInAt !== null && !isKnownBrowser,
      also: also || storeData || newLanguage ? noteChanges : undefined,
    })
    if (!opened) return false
    countSignIn({ method: methodOf(amr), second_factor: amr.includes('mfa') ? 'yes' : 'no' })
    if (language) keepAccountLanguage(request, reply, language, config)
    await knownBrowsers.remember(request, reply, user, isKnownBrowser)
    return true
  }
}

/** How the sign-in began. */
function methodOf (amr: Method[]) {
  if (amr.includes('pwd')) return 'password'
  if (amr.includes('mail')) return 'mail'
  return amr.includes('ext') ? 'provider' : 'passkey'
}

export default fp(async function (app) {
  app.decorate('signIn', createSignIn(app))
}, { name: 'sign-in', dependencies: ['events', 'hooks', 'known-browsers', 'metrics', 'sessions', 'users'] })
