import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Forbidden } from '../../src/errors.ts'
import { figuresOf, LIMITS } from '../../src/limits/registry.ts'
import { digest } from '../../src/secrets/digest.ts'
import { requestedLanguage } from '../../src/site/language.ts'
import type { User } from '../records/accounts/users.ts'
import { hostCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { mailSignIn: ReturnType<typeof createMailSignIn> }
}

/** In seconds, as long as the code. */
const LIFETIME = 10 * 60

/** What the code or the link of a mail has proved. `user`: undefined for an address without an account. */
interface Proved { email: string, user?: User }

/** `userId`: whose code was tried, for the event. */
interface Refused { userId?: string }

/** Sign-in with a code or a link that comes by mail. The code is for the browser with the signed cookie. */
function createMailSignIn (app: FastifyInstance) {
  const { addressProof, config, counters, database, knownBrowsers, mail, mailCodes, registeringBrowser, users } = app
  const cookie = hostCookie('mail_sign_in', LIFETIME, config)
  const { max, windowSeconds } = figuresOf(LIMITS.signInMails, config)

  function askedBy (request: FastifyRequest): Buffer {
    // For a browser that did not ask, too: the response must take as long.
    return digest(cookie.read(request) ?? randomBytes(16).toString('base64url'))
  }

  /** The account must still have the address that the mail was sent to. */
  async function ownerOf (email: string, userId: string | null): Promise<Proved | undefined> {
    const user = userId ? await users.findById(userId) : await users.findByEmail(email)
    if (!userId) return user || config.REGISTRATION === 'closed' ? undefined : { email }
    return user && !user.disabledAt && user.email.toLowerCase() === email ? { email, user } : undefined
  }

  return {
    /** For `onRequest`. */
    async requireAllowed () {
      if (config.MAIL_SIGN_IN === 'off') throw new Forbidden('Sign-in by mail is turned off.')
    },

    /**
     * Sends a code, which ends the one before of this browser. The account is looked up when the mail is written.
     * Beyond the limit of a mailbox the code before stays valid. The response is the same: it would tell that others
     * have asked.
     */
    async send (email: string, request: FastifyRequest, reply: FastifyReply, next?: string) {
      await mail.requireServer()
      const known = await knownBrowsers.recognize(request, email)
      const { count } = await counters.take(LIMITS.signInMails.key(email, known?.id), windowSeconds * 1_000)
      const value = cookie.read(request) ?? randomBytes(16).toString('base64url')
      cookie.write(reply, value)
      if (count > max) return
      const askedBy = digest(value)
      await database.transact(async client => {
        await mailCodes.begin(client, { purpose: 'sign-in', email, askedBy, known: known !== undefined })
        await mail.queue(client, {
          kind: 'sign-in', email, askedBy: askedBy.toString('base64url'), language: requestedLanguage(request), next,
        })
      })
    },

    /** Who would be signed in by a link, and whether this browser asked for it. Undefined if it is not valid. */
    async peek (token: string, request: FastifyRequest) {
      const found = await mailCodes.peekLink(token)
      const owner = found && await ownerOf(found.email, found.userId)
      return owner && { ...owner, isAsker: found.askedBy.equals(askedBy(request)) }
    },

    async check (
      { code, token }: { code?: string, token?: string },
      request: FastifyRequest,
      reply: FastifyReply
    ): Promise<Proved | Refused> {
      if (token !== undefined) {
        const found = await mailCodes.useLink(token)
        const owner = found && await ownerOf(found.email, found.userId)
        return owner ?? {}
      }
      const tried = await mailCodes.try(askedBy(request), 'sign-in', code ?? '')
      if (!tried?.isRight) return { userId: tried?.userId ?? undefined }
      cookie.clear(reply)
      return await ownerOf(tried.email, tried.userId) ?? { userId: tried.userId ?? undefined }
    },

    /**
     * The mail proves the address. An account whose address was never proved may be that of a stranger, who knows its
     * password: it ends, unless this browser has registered the account. Returns the account as it is now.
     */
    async acceptAddress (user: User, request: FastifyRequest): Promise<User | undefined> {
      if (user.emailVerifiedAt) return user
      const isOwn = registeringBrowser.hasRegistered(request, user) ||
        await addressProof.signedInUser(request) === user.id
      await database.transact(async client => {
        await addressProof.accept(client, request, user.id, { isSignedIn: isOwn })
        if (!isOwn) await users.expirePassword(client, user.id)
      })
      return users.findById(user.id)
    },
  }
}

export default fp(async function (app) {
  app.decorate('mailSignIn', createMailSignIn(app))
}, {
  name: 'mail-sign-in',
  dependencies: [
    'address-proof', 'cookies', 'counters', 'database', 'known-browsers', 'mail', 'mail-codes', 'registering-browser',
    'users',
  ],
})
