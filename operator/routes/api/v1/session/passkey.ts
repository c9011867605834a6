import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { OperatorPasskeyOptionsSchema, OperatorPasskeySchema } from '../../../../../schemas/operator/session.ts'
import { turnSignal } from '../../../../../src/http/turn.ts'
import { NotAnOperator } from '../../../../../src/operator/errors.ts'
import { InvalidPasskey } from '../../../../../src/passkeys/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { events, limits, operators, operatorSession, passkeys, users } = app

  app.post('/passkey/options', {
    schema: OperatorPasskeyOptionsSchema,
  }, async function getOperatorPasskeyOptions (request, reply) {
    return passkeys.requestOptions(request, reply)
  })

  app.post('/passkey', {
    schema: OperatorPasskeySchema,
    config: { limit: 'login' },
  }, async function signInWithPasskey (request, reply) {
    await limits.beginPasskey(request, reply, turnSignal(reply))
    const user = await passkeys.verify(request.body.response, request)
    limits.markChecked(request)
    if (!user || !users.canSignIn(user)) {
      await events.record('sign_in_failed', request, user?.id)
      throw new InvalidPasskey()
    }
    await limits.succeed(request)
    if (!await operators.has(user.id)) throw new NotAnOperator()
    await operatorSession.open(user, reply)
    await events.record('identity_confirmed', request, user.id)
    return reply.code(204).send()
  })
}

export default routes
