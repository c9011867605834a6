import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable } from '../../../plugins/infrastructure/database.ts'
import { beginSocialSchema, finishSocialSchema } from '../../../schemas/social.ts'
import { HttpError } from '../../../src/errors.ts'
import { HookAway } from '../../../src/hooks/errors.ts'
import { ProviderSignInFailed, ProviderUnavailable, UnknownSignIn } from '../../../src/providers/errors.ts'
import { returnPath } from '../../../src/edge/page-visit.ts'

/** A prefetch must not start or complete a sign-in: the user has not followed the link. */
const isPrefetch = ({ headers }: FastifyRequest) =>
  /prefetch/.test(`${headers['sec-purpose']} ${headers.purpose} ${headers['x-moz']}`)

/** Sent as it is, not as a redirect: errors of the client, such as a 429, and a provider that cannot be reached. */
const isResponse = (error: Error) =>
  error instanceof ProviderUnavailable || (error instanceof HttpError && error.statusCode < 500)

/** GET /api/auth/provider-a, /provider-b and one for each of PROVIDERS, each with its /callback. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { config, events, lastProvider, ownProviders, providerTransactions, socialProviders } = app
  const { secondFactor, sessions, signIn, socialAccounts, users } = app

  for (const provider of socialProviders) {
    /** Back to the login page, which leads on to the same path as this sign-in. */
    function toLogin (query: Record<string, string>, request: FastifyRequest, reply: FastifyReply) {
      const { state } = request.query as { state?: unknown }
      const transaction = providerTransactions.end(provider, state ? String(state) : undefined, request, reply)
      const { next = config.LOGIN_REDIRECT } = transaction ?? {}
      const leadsOn = next !== config.LOGIN_REDIRECT && { next }
      return reply.redirect(`/login?${new URLSearchParams({ ...query, ...leadsOn })}`)
    }

    /** Turns failures into a redirect to the login page. */
    async function redirectFailure (error: Error, request: FastifyRequest, reply: FastifyReply) {
      if (isResponse(error)) throw error
      if (error instanceof HookAway) return toLogin({ error: 'callback_failed' }, request, reply)
      if (!(error instanceof ProviderSignInFailed)) {
        request.log.error({ err: error, provider: provider.key }, 'could not store a sign-in through a provider')
        return toLogin({ error: 'callback_failed' }, request, reply)
      }
      request.log.warn({ err: error, provider: provider.key, ...error.refusal }, 'sign-in through a provider failed')
      // Redirect even if the event cannot be recorded.
      if (!(error instanceof UnknownSignIn)) await events.record('provider_sign_in_failed', request).catch(() => {})
      const described = error.description && { error_description: error.description }
      return toLogin({ error: `${provider.key}_auth_failed`, ...described }, request, reply)
    }

    app.get(`/${provider.path}`, {
      schema: beginSocialSchema(provider),
      attachValidation: true,
      config: { limit: 'anonymous' },
      exposeHeadRoute: false,
      errorHandler: redirectFailure,
    }, async function beginSocial (request, reply) {
      if (isPrefetch(request)) return reply.code(204).send()
      const { next, confirm } = request.validationError ? {} : request.query
      const session = sessions.presented(request)
      const confirms = session !== undefined && confirm === 'true'
      const url = await provider.begin(request, reply, { signInAgain: confirms })
      providerTransactions.begin(provider, url, {
        session,
        next: returnPath(next, config.LOGIN_REDIRECT, config),
        confirmedSince: confirms ? Math.floor(Date.now() / 1_000) : undefined,
      }, reply)
      return reply.redirect(url)
    })

    app.get(`/${provider.path}/callback`, {
      schema: finishSocialSchema(provider),
      attachValidation: true,
      config: { limit: 'anonymous' },
      exposeHeadRoute: false,
      errorHandler: redirectFailure,
    }, async function finishSocial (request, reply) {
      if (isPrefetch(request)) return reply.code(204).send()
      const query = request.validationError ? {} : request.query
      const transaction = providerTransactions.end(provider, query.state, request, reply)
      const { session, connects, confirmedSince: since, next = config.LOGIN_REDIRECT } = transaction ?? {}
      if (session && connects) {
        const outcome = await ownProviders.finish(provider, query, session, request, reply)
        return reply.redirect(`/dashboard?${new URLSearchParams({ provider: provider.path, outcome })}#providers`)
      }

      const profile = await provider.finish(query, request, reply)
      if (session && since !== undefined) {
        await socialAccounts.confirm(provider, profile, { session, since }, request, reply)
        return reply.redirect(next)
      }

      const { user, link } = await socialAccounts.findOrCreate(provider, profile, request)
      if (!users.canSignIn(user)) throw new ProviderSignInFailed('the account is disabled')
      lastProvider.remember(provider, reply)
      const asks = config.PROVIDER_SECOND_FACTOR === 'ask'
      const methods = asks ? await secondFactor.ask(user, 'ext', request, reply, link) : undefined
      if (methods) return reply.redirect(`/login?${new URLSearchParams({ second_factor: methods.join(), next })}`)
      const also = link && ((client: Queryable) => socialAccounts.link(client, user, link, request))
      if (!await signIn(user, request, reply, { amr: ['ext'], previous: session, also })) {
        throw new ProviderSignInFailed('the account was disabled or changed meanwhile')
      }
      return reply.redirect(next)
    })
  }
}

export default routes
