import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LoginSchema } from '../../schemas/login.ts'
import { InvalidCredentials } from '../../src/errors.ts'
import { turnSignal } from '../../src/edge/turn.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { events, knownBrowsers, limits, noticeBreach, passwordChanges, passwords } = app
  const { secondFactor, signIn, users } = app

  app.post('', { schema: LoginSchema, config: { limit: 'login' } }, async function login (request, reply) {
    const { username, password } = request.body
    const turn = turnSignal(reply)
    const known = await knownBrowsers.recognize(request, username)
    await limits.beginLogin(request, reply, username, known, turn)

    const user = known?.user ?? await users.findByLogin(username)
    const claimant = { login: username, browser: known }
    const correct = await passwords.verify(password, user?.passwordHash, claimant, turn)
    limits.markChecked(request)
    if (!user || !correct || !users.canSignIn(user)) {
      await events.record('sign_in_failed', request, user?.id)
      throw new InvalidCredentials()
    }

    // The limits may not have looked the browser up, and the mark of a browser is bound to the old hash.
    const isKnown = Boolean(known ?? knownBrowsers.browserOf(request, user))
    user.passwordHash = await passwordChanges.renew(user, password, claimant)
    noticeBreach(user, password, request)
    const methods = await secondFactor.ask(user, 'pwd', request, reply)
    if (methods) {
      await limits.succeed(request)
      return reply.code(202).send({ secondFactor: methods })
    }
    const opened = await signIn(user, request, reply, { amr: ['pwd'], isKnown })
    if (!opened) throw new InvalidCredentials()
    await limits.succeed(request)
    return { user: users.toPublic(user) }
  })
}

export default routes
