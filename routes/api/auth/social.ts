import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { beginSocialSchema, finishSocialSchema } from '../../../schemas/social.ts'
import { HttpError, ProviderSignInFailed, UnknownSignIn } from '../../../src/errors.ts'
import { PROVIDERS } from '../../../src/providers/providers.ts'

/** Browsers that prefetch a link must not use up a sign-in that the user did not start. */
const isPrefetch = ({ headers }: FastifyRequest) =>
  /prefetch/.test(`${headers['sec-purpose']} ${headers.purpose} ${headers['x-moz']}`)

/** GET /api/auth/provider-a and /provider-b, each with its /callback. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { config, events, oauth, signIn, socialAccounts, users } = app

  for (const provider of Object.values(PROVIDERS)) {
    const { begin, finish } = oauth[provider.key]

    /** Every failure becomes a redirect to the login page. Refusals of the client's request stay as they are. */
    async function redirectFailure (error: Error, request: FastifyRequest, reply: FastifyReply) {
      if (error instanceof HttpError && error.statusCode < 500) throw error
      if (!(error instanceof ProviderSignInFailed)) {
        request.log.error({ err: error, provider: provider.key }, 'sign-in through a provider could not be stored')
        return reply.redirect('/login?error=callback_failed')
      }
      request.log.warn({ err: error, provider: provider.key }, 'sign-in through a provider failed')
      // The redirect is sent even when the failure cannot be recorded.
      if (!(error instanceof UnknownSignIn)) await events.record('provider_sign_in_failed', request).catch(() => {})
      const query = new URLSearchParams({ error: `${provider.key}_auth_failed` })
      if (error.description) query.set('error_description', error.description)
      return reply.redirect(`/login?${query}`)
    }

    app.get(`/${provider.path}`, {
      schema: beginSocialSchema(provider),
      config: { limit: 'general' },
      exposeHeadRoute: false,
      errorHandler: redirectFailure,
    }, async function beginSocial (request, reply) {
      if (isPrefetch(request)) return reply.code(204).send()
      return reply.redirect(await begin(request, reply))
    })

    app.get(`/${provider.path}/callback`, {
      schema: finishSocialSchema(provider),
      attachValidation: true,
      exposeHeadRoute: false,
      errorHandler: redirectFailure,
    }, async function finishSocial (request, reply) {
      if (isPrefetch(request)) return reply.code(204).send()
      const profile = await finish(request.validationError ? {} : request.query, request, reply)
      const user = await socialAccounts.findOrCreate(provider, profile, request)
      if (!users.canSignIn(user) || !await signIn(user, request, reply)) {
        throw new ProviderSignInFailed('the account is disabled')
      }
      return reply.redirect(config.LOGIN_REDIRECT)
    })
  }
}

export default routes
