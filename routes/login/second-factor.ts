import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Queryable } from '../../plugins/infrastructure/database.ts'
import { LoginStepSchema, SecondFactorSchema } from '../../schemas/login.ts'
import { LoginStepOver } from '../../src/factors/errors.ts'
import { ProviderSignInFailed } from '../../src/providers/errors.ts'

/** The link is no longer possible: the user has to sign in through the provider again, and is told why there. */
function refuseLink (error: Error): false {
  if (error instanceof ProviderSignInFailed) return false
  throw error
}

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { loginSteps, rememberedBrowsers, secondFactor, signIn, socialAccounts, users } = app

  /** For the page after a provider, which does not know whose account it was. */
  app.get('/second-factor', {
    schema: LoginStepSchema,
    config: { limit: 'anonymous' },
  }, async function getLoginStep (request) {
    const step = await loginSteps.find(request)
    if (!step) throw new LoginStepOver()
    return { username: step.user.username }
  })

  app.post('/second-factor', {
    schema: SecondFactorSchema,
    config: { limit: 'anonymous' },
  }, async function finishLogin (request, reply) {
    const { remember = false, ...answer } = request.body
    const { user, first, link } = await secondFactor.finish(answer, request, reply)
    const second = answer.passkey ? 'hwk' : 'otp'
    const also = link && ((client: Queryable) => socialAccounts.link(client, user, link, request))
    const opened = await signIn(user, request, reply, { amr: [first, second, 'mfa'], also }).catch(refuseLink)
    if (!opened) throw new LoginStepOver()
    if (remember) rememberedBrowsers.remember(request, reply, user)
    return { user: users.toPublic(user) }
  })
}

export default routes
