import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { UnknownSignIn } from '../../../plugins/oauth.ts'
import { beginSocialSchema, finishSocialSchema } from '../../../schemas/social.ts'
import { PROVIDERS } from '../../../src/providers.ts'

const NO_EMAIL = 'No email came from the provider'

/** A browser that loads ahead would use up a sign-in that nobody has asked for. */
const isPrefetch = ({ headers }: FastifyRequest) => /prefetch/.test(`${headers['sec-purpose']} ${headers.purpose} ${headers['x-moz']}`)

/** GET /api/auth/provider-a and /provider-b, each with its /callback. */
const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { config, events, oauth, signIn, socialAccounts, users } = app

  for (const provider of Object.values(PROVIDERS)) {
    const { begin, finish } = oauth[provider.key]

    async function fail (request: FastifyRequest, reply: FastifyReply, error: unknown, description?: string) {
      request.log.warn({ err: error, provider: provider.key }, 'sign-in through a provider failed')
      // The way back must be told even when it cannot be recorded.
      if (!(error instanceof UnknownSignIn)) await events.record('provider_sign_in_failed', request).catch(() => {})
      const query = new URLSearchParams({ error: `${provider.key}_auth_failed`, ...(description && { error_description: description }) })
      return reply.redirect(`/login?${query}`)
    }

    app.get(`/${provider.path}`, { schema: beginSocialSchema(provider), config: { limit: 'general' }, exposeHeadRoute: false }, async function beginSocial (request, reply) {
      if (isPrefetch(request)) return reply.code(204).send()
      try {
        return reply.redirect(await begin(request, reply))
      } catch (error) {
        return fail(request, reply, error)
      }
    })

    app.get(`/${provider.path}/callback`, { schema: finishSocialSchema(provider), attachValidation: true, exposeHeadRoute: false }, async function finishSocial (request, reply) {
      if (isPrefetch(request)) return reply.code(204).send()
      let profile
      try {
        profile = await finish(request.validationError ? {} : request.query, request, reply)
      } catch (error) {
        return fail(request, reply, error)
      }
      const { email, username } = profile
      if (!email || !username) return fail(request, reply, new Error('no verified email'), NO_EMAIL)

      try {
        const user = await socialAccounts.findOrCreate(provider, { ...profile, email, username }, request)
        if (!user || !users.mayEnter(user) || !await signIn(user, request, reply)) return fail(request, reply, new Error('the account may not be entered'))
        return reply.redirect(config.LOGIN_REDIRECT)
      } catch (error) {
        request.log.error({ err: error }, 'sign-in through a provider could not be stored')
        return reply.redirect('/login?error=callback_failed')
      }
    })
  }
}

export default routes
