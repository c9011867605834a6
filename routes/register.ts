import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { RegisterSchema } from '../schemas/accounts.ts'
import { RegisterByMailSchema } from '../schemas/mail-sign-in.ts'
import { Forbidden, RegistrationExpired } from '../src/errors.ts'
import { clientGroup } from '../src/edge/client-address.ts'
import { keptPath } from '../src/edge/page-visit.ts'
import { requestedLanguage } from '../src/site/language.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { accounts, config, hooks, mailRegistration, mailSignIn, passwords, registeringBrowser, signIn, users } = app

  app.post('/register', {
    schema: RegisterSchema,
    config: { limit: 'anonymous' },
  }, async function register (request, reply) {
    if (config.REGISTRATION === 'closed') throw new Forbidden('Registration is closed.')
    const { username, email, password, name } = request.body

    const client = clientGroup(request.ip)
    await passwords.require(password, [username, email, name ?? ''], client)
    const account = { email, emailVerified: false, username, name: name ?? null }
    const storeData = await hooks.beforeRegistration(request, { method: 'password', ...account })
    const language = requestedLanguage(request)
    const passwordHash = await passwords.hash(password, { client })
    const newUser = { username, email, name, language, passwordHash }
    if (config.EMAIL_VERIFICATION === 'off') {
      const id = await accounts.registerWithoutVerification(newUser, request, storeData)
      return reply.code(201).send({ user: { id, username, email, name: name ?? null } })
    }
    const { key, askedBy } = registeringBrowser.createKey()
    const next = keptPath(request.query.next, app.config)
    const id = await accounts.register(newUser, request, askedBy, { next, storeData })
    registeringBrowser.remember(reply, { id, passwordHash }, key)
    return reply.code(202).send({ message: 'We sent you an email. Follow the link in it to confirm your address.' })
  })

  app.post('/register/mail', {
    schema: RegisterByMailSchema,
    config: { limit: 'anonymous' },
    onRequest: mailSignIn.requireAllowed,
  }, async function registerByMail (request, reply) {
    const user = await mailRegistration.finish(request.body, request, reply)
    if (!await signIn(user, request, reply, { amr: ['mail'] })) throw new RegistrationExpired()
    return reply.code(201).send({ user: users.toPublic(user) })
  })
}

export default routes
