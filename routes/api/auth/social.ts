import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { beginSocialSchema, finishSocialSchema } from '../../../schemas/social.ts'
import { HttpError } from '../../../src/errors.ts'
import { ProviderSignInFailed, UnknownSignIn } from '../../../src/providers/errors.ts'
import { returnPath } from '../../../src/http/return-path.ts'
import { PROVIDERS } from '../../../src/providers/providers.ts'

/** A prefetch must not start or complete a sign-in: the user has not followed the link. */
const isPrefetch = ({ headers }: FastifyRequest) =>
  /prefetch/.test(`${headers['sec-purpose']} ${headers.purpose} ${headers['x-moz']}`)

/** GET /api/auth/provider-a and /provider-b, each with its /callback. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { config, confirmAtProvider, events, oauth, providerTransactions } = app
  const { secondFactor, sessions, signIn, socialAccounts, users } = app

  for (const provider of Object.values(PROVIDERS)) {
    const { begin, finish } = oauth[provider.key]

    /** Turns failures into a redirect to the login page, except for errors of the client, such as a 429. */
    async function redirectFailure (error: Error, request: FastifyRequest, reply: FastifyReply) {
      if (error instanceof HttpError && error.statusCode < 500) throw error
      if (!(error instanceof ProviderSignInFailed)) {
        request.log.error({ err: error, provider: provider.key }, 'could not store a sign-in through a provider')
        return reply.redirect('/login?error=callback_failed')
      }
      request.log.warn({ err: error, provider: provider.key }, 'sign-in through a provider failed')
      // Redirect even if the event cannot be recorded.
      if (!(error instanceof UnknownSignIn)) await events.record('provider_sign_in_failed', request).catch(() => {})
      const query = new URLSearchParams({ error: `${provider.key}_auth_failed` })
      if (error.description) query.set('error_description', error.description)
      return reply.redirect(`/login?${query}`)
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
      const url = await begin(request, reply, { signInAgain: confirms })
      providerTransactions.begin(provider, url, {
        session,
        next: returnPath(next, config.LOGIN_REDIRECT),
        confirmedSince: confirms ? Math.floor(Date.now() / 1_000) : undefined,
      }, reply)
      return reply.redirect(url)
    })

    app.get(`/${provider.path}/callback`, {
      schema: finishSocialSchema(provider),
      attachValidation: true,
      exposeHeadRoute: false,
      errorHandler: redirectFailure,
    }, async function finishSocial (request, reply) {
      if (isPrefetch(request)) return reply.code(204).send()
      const query = request.validationError ? {} : request.query
      const transaction = providerTransactions.end(provider, query.state, request, reply)
      const profile = await finish(query, request, reply)
      const { session, confirmedSince: since, next = config.LOGIN_REDIRECT } = transaction ?? {}
      if (session && since !== undefined) {
        await confirmAtProvider(provider, profile, { session, since }, reply)
        await events.record('identity_confirmed', request, session.userId)
        return reply.redirect(next)
      }

      const user = await socialAccounts.findOrCreate(provider, profile, request)
      if (!users.canSignIn(user)) throw new ProviderSignInFailed('the account is disabled')
      const asks = config.PROVIDER_SECOND_FACTOR === 'ask'
      const methods = asks ? await secondFactor.ask(user, 'ext', request, reply) : undefined
      if (methods) return reply.redirect(`/login?${new URLSearchParams({ second_factor: methods.join(), next })}`)
      if (!await signIn(user, request, reply, { amr: ['ext'], previous: session })) {
        throw new ProviderSignInFailed('the account was disabled or changed meanwhile')
      }
      return reply.redirect(next)
    })
  }
}

export default routes
