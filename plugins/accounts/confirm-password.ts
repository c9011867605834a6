import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { WrongPassword } from '../../src/errors.ts'
import { turnSignal } from '../../src/edge/turn.ts'
import type { User } from '../records/accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The signed-in user proves to know the password, or 403. Guesses count as those at the login do. */
    confirmPassword (user: User, password: string, request: FastifyRequest, reply: FastifyReply): Promise<void>
  }
}

function createConfirmPassword (app: FastifyInstance): FastifyInstance['confirmPassword'] {
  const { knownBrowsers, limits, passwords } = app

  return async function confirmPassword (user, password, request, reply) {
    const turn = turnSignal(reply)
    const browser = knownBrowsers.browserOf(request, user)
    await limits.beginAccount(request, user.username, browser, turn)
    const correct = await passwords.verify(password, user.passwordHash, { login: user.username, browser }, turn)
    limits.markChecked(request)
    if (!correct) throw new WrongPassword()
    await limits.succeed(request)
  }
}

export default fp(async function (app) {
  app.decorate('confirmPassword', createConfirmPassword(app))
}, { name: 'confirm-password', dependencies: ['known-browsers', 'limits', 'passwords'] })
