import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SecondFactorSchema } from '../../schemas/login.ts'
import { LoginStepOver } from '../../src/factors/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { rememberedBrowsers, secondFactor, signIn, users } = app

  app.post('/second-factor', {
    schema: SecondFactorSchema,
    config: { limit: 'anonymous' },
  }, async function finishLogin (request, reply) {
    const { remember = false, ...answer } = request.body
    const { user, first } = await secondFactor.finish(answer, request, reply)
    const second = answer.passkey ? 'hwk' : 'otp'
    if (!await signIn(user, request, reply, { amr: [first, second, 'mfa'] })) throw new LoginStepOver()
    if (remember) rememberedBrowsers.remember(request, reply, user)
    return { user: users.toPublic(user) }
  })
}

export default routes
