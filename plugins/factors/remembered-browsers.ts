import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createMarks } from '../../src/secrets/marks.ts'
import { signedCookie } from '../../src/sessions/signed-cookie.ts'
import type { User } from '../records/accounts/users.ts'
import { strictCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { rememberedBrowsers: ReturnType<typeof createRememberedBrowsers> }
}

type Account = Pick<User, 'id' | 'passwordHash' | 'factorsVersion'>

const DAY = 24 * 60 * 60
/** Accounts that one browser is remembered for. */
const MAX_MARKS = 5
/** As version 0.2 signed it. */
const FORMER = /^\d+-[\w-]{43}(\.\d+-[\w-]{43})*$/

const secondsNow = () => Math.floor(Date.now() / 1_000)
const expiryOf = (entry: string) => Number(entry.split('-', 1)[0])

/**
 * Browsers that are not asked for the second factor. Only the signed cookie knows them: `expiry-mark.expiry-mark…`.
 * A mark is bound to the account, its password and its factors.
 */
function createRememberedBrowsers ({ config }: FastifyInstance) {
  const marks = createMarks('remembered-browsers', config)
  const cookie = signedCookie('remembered_browser', {
    ...strictCookie(config.NODE_ENV === 'production'),
    // The callback of a provider must read it, and browsers send no Strict cookie there.
    sameSite: 'lax',
  }, FORMER)

  function read (request: FastifyRequest): string[] {
    const entries = cookie.read(request)?.split('.') ?? []
    return entries.filter(entry => expiryOf(entry) > secondsNow())
  }

  function isOf (entry: string, account: Account): boolean {
    const expiry = entry.split('-', 1)[0] as string
    return marks.isValid(entry.slice(expiry.length + 1), [expiry, account.id], account)
  }

  return {
    /** Writes the cookie again, for as long as before: that of version 0.2 becomes one of this version. */
    isRemembered (request: FastifyRequest, reply: FastifyReply, account: Account): boolean {
      const entries = read(request)
      if (config.REMEMBER_BROWSER_DAYS === 0 || !entries.some(entry => isOf(entry, account))) return false
      cookie.write(reply, entries.join('.'), Math.max(...entries.map(expiryOf)) - secondsNow())
      return true
    },

    remember (request: FastifyRequest, reply: FastifyReply, account: Account) {
      const maxAge = config.REMEMBER_BROWSER_DAYS * DAY
      if (maxAge === 0) return
      const expiry = String(secondsNow() + maxAge)
      const others = read(request).filter(entry => !isOf(entry, account))
      const entries = [`${expiry}-${marks.write([expiry, account.id], account)}`, ...others].slice(0, MAX_MARKS)
      cookie.write(reply, entries.join('.'), maxAge)
    },
  }
}

export default fp(async function (app) {
  app.decorate('rememberedBrowsers', createRememberedBrowsers(app))
}, { name: 'remembered-browsers', dependencies: ['cookies'] })
