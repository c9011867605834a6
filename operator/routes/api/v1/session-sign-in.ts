import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  OperatorLoginSchema, OperatorPasskeyOptionsSchema, OperatorPasskeySchema, OperatorSecondFactorSchema,
} from '../../../../schemas/operator/session.ts'
import { InvalidCredentials } from '../../../../src/errors.ts'
import { turnSignal } from '../../../../src/edge/turn.ts'
import { InvalidPasskey, LoginStepOver } from '../../../../src/factors/errors.ts'
import { factorMethods } from '../../../../src/factors/methods.ts'
import { LIMITS } from '../../../../src/limits/registry.ts'
import { NotAnOperator, OperatorNeedsFactor, OperatorSuspended } from '../../../../src/operators/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { events, factors, limits, loginSteps, operators, operatorSession, passkeys } = app
  const { passwords, publicUrl, secondFactor, users } = app

  async function requireOperator ({ id }: { id: string }, request: FastifyRequest) {
    if (await operators.has(id)) return
    if (!await operators.isSuspended(id)) throw new NotAnOperator()
    request.log.warn({ userId: id }, 'this operator waits to be confirmed after a restore: gatehouse restored confirm')
    throw new OperatorSuspended()
  }

  app.post('', { schema: OperatorLoginSchema, config: { limit: 'login' } }, async function signIn (request, reply) {
    const { username, password } = request.body
    const turn = turnSignal(reply)
    await limits.beginLogin(request, reply, username, undefined, turn)
    const user = await users.findByLogin(username)
    const correct = await passwords.verify(password, user?.passwordHash, { login: username }, turn)
    limits.markChecked(request)
    if (!user || !correct || !users.canSignIn(user)) {
      await events.record('sign_in_failed', request, user?.id)
      throw new InvalidCredentials()
    }
    await limits.succeed(request)
    await requireOperator(user, request)
    const methods = factorMethods(await factors.of(user.id))
    if (methods.length === 0) throw new OperatorNeedsFactor(publicUrl)
    // Also in a browser that is remembered on the public port.
    loginSteps.begin(user, 'pwd', reply)
    return reply.code(202).send({ secondFactor: methods })
  })

  app.post('/second-factor', { schema: OperatorSecondFactorSchema }, async function finishSignIn (request, reply) {
    const { user } = await secondFactor.finish(request.body, request, reply, LIMITS.operatorCodes)
    if (!await operators.has(user.id)) throw new LoginStepOver()
    await operatorSession.open(user, reply)
    await events.record('identity_confirmed', request, user.id)
    return reply.code(204).send()
  })

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
    await requireOperator(user, request)
    await operatorSession.open(user, reply)
    await events.record('identity_confirmed', request, user.id)
    return reply.code(204).send()
  })
}

export const autoPrefix = 'session'
export default routes
