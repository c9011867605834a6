import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { HookAway, RefusedByApplication } from '../../src/hooks/errors.ts'
import { digest } from '../../src/secrets/digest.ts'
import { createMarks } from '../../src/secrets/marks.ts'
import type { User } from '../records/accounts/users.ts'
import { hostCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { registeringBrowser: ReturnType<typeof createRegisteringBrowser> }
}

type Account = Pick<User, 'id' | 'passwordHash' | 'factorsVersion'>

/** In seconds, as long as the link in the mail. */
const LIFETIME = 24 * 60 * 60

/**
 * The browser that registered an account sent its password. If the link in the mail is opened in it, the user is signed
 * in. Only the signed cookie knows it: `expiry.mark.key`. The mark binds it to the account, its password and its
 * factors, of which a new account has none. The key is random, and the code in the mail works only in the browser that
 * has it. A cookie for a placeholder account has the same length.
 */
function createRegisteringBrowser (app: FastifyInstance) {
  const { config, signIn, users } = app
  const marks = createMarks('registering-browsers', config)
  const cookie = hostCookie('registration', LIFETIME, config)

  function hasRegistered (request: FastifyRequest, account: Account): boolean {
    const [expiry = '', mark = ''] = cookie.read(request)?.split('.') ?? []
    return Number(expiry) * 1_000 > Date.now() && marks.isValid(mark, [expiry, account.id], account)
  }

  return {
    /** Whether this browser has registered the account. */
    hasRegistered,

    /** `askedBy`: what the code in the mail is bound to. */
    createKey () {
      const key = randomBytes(16).toString('base64url')
      return { key, askedBy: digest(key) }
    },

    /** Undefined in a browser that has not registered. */
    askedBy (request: FastifyRequest): Buffer | undefined {
      const key = cookie.read(request)?.split('.')[2]
      return key ? digest(key) : undefined
    },

    remember (reply: FastifyReply, { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>, key: string) {
      const expiry = String(Math.floor(Date.now() / 1_000) + LIFETIME)
      const mark = marks.write([expiry, id], { passwordHash, factorsVersion: 0 })
      cookie.write(reply, `${expiry}.${mark}.${key}`)
    },

    /** After the link was used. The address stays confirmed if no session can be opened. */
    async signIn (userId: string, request: FastifyRequest, reply: FastifyReply) {
      try {
        const user = await users.findById(userId)
        if (!user || !users.canSignIn(user) || !hasRegistered(request, user)) return
        cookie.clear(reply)
        await signIn(user, request, reply, { amr: ['pwd'] })
      } catch (err) {
        // The application says why when the user signs in.
        if (err instanceof RefusedByApplication || err instanceof HookAway) return
        request.log.error({ err, userId }, 'cannot sign in after the address was confirmed')
      }
    },
  }
}

export default fp(async function (app) {
  app.decorate('registeringBrowser', createRegisteringBrowser(app))
}, { name: 'registering-browser', dependencies: ['cookies', 'sign-in', 'users'] })
