import { randomInt } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Conflict, Forbidden, RegistrationExpired } from '../../src/errors.ts'
import { noPassword } from '../../src/passwords/no-password.ts'
import { digest } from '../../src/secrets/digest.ts'
import { requestedLanguage } from '../../src/site/language.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { NewUser, User } from '../records/accounts/users.ts'
import { hostCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { mailRegistration: ReturnType<typeof createMailRegistration> }
}

/** The name of the user, and the username unless it is to be made from the name. */
interface Chosen { name: string, username?: string }

/** From the code to the name, in seconds. */
const LIFETIME = 30 * 60
const MAX_ATTEMPTS = 5
/** Usernames that are not made from a name without a number: they look like those of the service. */
const RESERVED = ['admin', 'administrator', 'gatehouse', 'operator', 'root', 'support']

/** "Ada Lovelace" becomes `ada.lovelace`. A name in another script leaves nothing. */
function usernameFrom (name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const made = letters.replace(/[^a-z0-9]+/g, '.').slice(0, 24).replace(/^\.|\.$/g, '')
  return made.length < 3 ? 'user' : made
}

/**
 * Accounts without a password, whose address a code has proved. Only the signed cookie knows the address until the user
 * has given a name: `expiry.address`. It can be used once, also if the address becomes free again.
 */
function createMailRegistration (app: FastifyInstance) {
  const { config, database, emailAddresses, events, hooks, passkeysStore, users } = app
  const reserved = [...RESERVED, usernameFrom(config.BRAND_NAME)]
  const cookie = hostCookie('mail_registration', LIFETIME, config)

  function proofOf (request: FastifyRequest) {
    const value = cookie.read(request) ?? ''
    const [expiry, address] = value.split('.')
    if (!address || !(Number(expiry) * 1_000 > Date.now())) throw new RegistrationExpired()
    return { email: Buffer.from(address, 'base64url').toString(), id: digest(value), expiresAt: Number(expiry) }
  }

  /** A username that the user did not choose gets a number if another account has it, or it is reserved. */
  async function create (client: Queryable, user: NewUser, isChosen: boolean): Promise<string> {
    const asItIs = isChosen || !reserved.includes(user.username)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const username = attempt === 0 && asItIs ? user.username : `${user.username}${randomInt(100_000)}`
      const created = await users.create(client, { ...user, username }, { mustVerify: false })
      if ('id' in created) return created.id
      if (created.taken === 'email') throw new RegistrationExpired()
      if (isChosen) break
    }
    throw new Conflict('This username is taken.')
  }

  return {
    begin (reply: FastifyReply, email: string) {
      const expiry = Math.floor(Date.now() / 1_000) + LIFETIME
      cookie.write(reply, `${expiry}.${Buffer.from(email).toString('base64url')}`)
    },

    /** Its owner can set a password with the link of a mail, so that the account is never without a way in. */
    async finish ({ name, username }: Chosen, request: FastifyRequest, reply: FastifyReply): Promise<User> {
      if (config.REGISTRATION === 'closed') throw new Forbidden('Registration is closed.')
      const { email, id: proof, expiresAt } = proofOf(request)
      const account = { email, emailVerified: true, username: username ?? null, name }
      const storeData = await hooks.beforeRegistration(request, { method: 'mail', ...account })
      const user = {
        email,
        name,
        username: username ?? usernameFrom(name),
        passwordHash: noPassword(),
        language: requestedLanguage(request),
      }
      const id = await database.transact(async client => {
        if (!await passkeysStore.useChallenge(proof, expiresAt, client)) throw new RegistrationExpired()
        const id = await create(client, user, username !== undefined)
        await emailAddresses.verify(client, id)
        await events.record('registered', request, id, client)
        await storeData?.(client, id)
        return id
      })
      cookie.clear(reply)
      return await users.findById(id) as User
    },
  }
}

export default fp(async function (app) {
  app.decorate('mailRegistration', createMailRegistration(app))
}, {
  name: 'mail-registration',
  dependencies: ['cookies', 'database', 'email-addresses', 'events', 'hooks', 'passkeys-store', 'users'],
})
