import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PasskeyOptionsSchema, PasskeySignInSchema } from '../../schemas/passkeys.ts'
import { turnSignal } from '../../src/edge/turn.ts'
import { InvalidPasskey } from '../../src/factors/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { events, limits, passkeys, signIn, users } = app

  /** Without a limit: it stores nothing, and every visit of the sign-in page asks for it. */
  app.post('/passkey/options', { schema: PasskeyOptionsSchema }, async function getPasskeyOptions (request, reply) {
    return passkeys.requestOptions(request, reply)
  })

  app.post('/passkey', {
    schema: PasskeySignInSchema,
    config: { limit: 'login' },
  }, async function signInWithPasskey (request, reply) {
    await limits.beginPasskey(request, reply, turnSignal(reply))
    const user = await passkeys.verify(request.body.response, request)
    limits.markChecked(request)
    if (!user || !users.canSignIn(user)) {
      await events.record('sign_in_failed', request, user?.id)
      throw new InvalidPasskey()
    }

    if (!await signIn(user, request, reply, { amr: ['hwk', 'mfa'] })) throw new InvalidPasskey()
    await limits.succeed(request)
    return { user: users.toPublic(user) }
  })
}

export default routes
