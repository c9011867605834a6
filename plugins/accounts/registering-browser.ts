import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { HookAway, RefusedByApplication } from '../../src/hooks/errors.ts'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import { digest } from '../../src/secrets/digest.ts'
import { signedCookie } from '../../src/sessions/signed-cookie.ts'
import type { User } from '../records/accounts/users.ts'
import { strictCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { registeringBrowser: ReturnType<typeof createRegisteringBrowser> }
}

type Account = Pick<User, 'id' | 'passwordHash' | 'factorsVersion'>

/** In seconds, as long as the link in the mail. */
const LIFETIME = 24 * 60 * 60

/**
 * The browser that registered an account sent its password. If the link in the mail is opened in it, the user is signed
 * in. Only the signed cookie knows it: `expiry.mark.key`. The mark binds it to the account, its password and its
 * factors, of which a new account has none. The key is random: the code in the mail works where it is. Its length does
 * not depend on the account, which may be a placeholder.
 */
function createRegisteringBrowser (app: FastifyInstance) {
  const { config, signIn, users } = app
  const keys = keysFor('registering-browsers', config)
  const production = config.NODE_ENV === 'production'
  // With the prefix, no sibling host can plant the cookie of an account of its own.
  const cookie = signedCookie(`${production ? '__Host-' : ''}registration`, {
    ...strictCookie(production),
    maxAge: LIFETIME,
  })

  function marksOf (expiry: string, { id, passwordHash, factorsVersion }: Account): Buffer[] {
    const text = [expiry, id, factorsVersion, passwordHash ?? ''].join(' ')
    return keys.map(key => createHmac('sha256', key).update(text).digest())
  }

  function hasRegistered (request: FastifyRequest, account: Account): boolean {
    const [expiry = '', mark = ''] = cookie.read(request)?.split('.') ?? []
    if (!(Number(expiry) * 1_000 > Date.now())) return false
    const given = Buffer.from(mark, 'base64url')
    return marksOf(expiry, account).some(each => each.length === given.length && timingSafeEqual(each, given))
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
      const [mark] = marksOf(expiry, { id, passwordHash, factorsVersion: 0 }) as [Buffer]
      cookie.write(reply, `${expiry}.${mark.toString('base64url')}.${key}`)
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
