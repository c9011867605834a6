import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createMemoryCounters } from '../../src/counters/memory-counters.ts'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import { signedCookie } from '../../src/sessions/signed-cookie.ts'
import type { User } from '../records/accounts/users.ts'
import { strictCookie } from './cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { knownBrowsers: ReturnType<typeof createKnownBrowsers> }
}

type Account = Pick<User, 'id' | 'passwordHash'>
interface Browser { id: string, marks: string[] }
interface KnownBrowser<A extends Account> { id: string, user: A }

/** The longest that browsers keep a cookie, in seconds. */
const LIFETIME = 400 * 24 * 60 * 60
/** How many accounts a browser can be known for. */
const MAX_MARKS = 5
/** Logins of one browser that an instance looks up in a window. */
const MAX_RECOGNIZE = 50
const RECOGNIZE_WINDOW = 15 * 60_000
/** Browsers that become known for an account in a window. With many, a stranger could fill the line of the owner's. */
const MAX_NEW = 10
const NEW_WINDOW = 60 * 60_000
/** As version 0.2 signed it. That version reads the cookie of this one too: the name counts as one more mark. */
const FORMER = /^[\w-]{22}(\.[\w-]{16})+$/

/** Browsers that signed in before. Only the signed cookie `device` knows them: `id.mark.mark…`. */
function createKnownBrowsers (app: FastifyInstance) {
  const { config, counters, users } = app
  /** Of this instance: they bound its queries, and counting in Redis would be one more round trip for each login. */
  const lookUps = createMemoryCounters()
  const keys = keysFor('devices', config)
  const cookie = signedCookie('device', {
    ...strictCookie(config.NODE_ENV === 'production'),
    // The callback of a provider must read it, and browsers send no Strict cookie there. It is not a credential.
    sameSite: 'lax',
    maxAge: LIFETIME,
  }, FORMER)

  /**
   * Bound to the account and to its password: a reset, a change or a deletion ends it.
   * There is one for each secret, and the first is the one to write.
   */
  function marksOf (browserId: string, { id, passwordHash }: Account): string[] {
    const text = `${browserId} ${id} ${passwordHash ?? ''}`
    return keys.map(key => createHmac('sha256', key).update(text).digest('base64url').slice(0, 16))
  }

  function read (request: FastifyRequest): Browser | undefined {
    const [id, ...marks] = cookie.read(request)?.split('.') ?? []
    return id ? { id, marks } : undefined
  }

  function known<A extends Account> (browser: Browser, user: A): KnownBrowser<A> | undefined {
    const isKnown = marksOf(browser.id, user).some(mark => browser.marks.includes(mark))
    return isKnown ? { id: browser.id, user } : undefined
  }

  return {
    /** The browser, where it has signed in to this account before. */
    browserOf<A extends Account> (request: FastifyRequest, user: A): KnownBrowser<A> | undefined {
      const browser = read(request)
      return browser && known(browser, user)
    },

    /** The same, by the login that was typed. A browser without the cookie causes no query. */
    async recognize (request: FastifyRequest, login: string): Promise<KnownBrowser<User> | undefined> {
      const browser = read(request)
      if (!browser) return undefined
      // This runs before the limits of the login: without a bound of its own it would allow unlimited queries.
      const { count } = await lookUps.take(browser.id, RECOGNIZE_WINDOW)
      const user = count <= MAX_RECOGNIZE ? await users.findByLogin(login) : undefined
      return user && known(browser, user)
    },

    /** `isKnown`: it was known before. Beyond the limit of new ones, a browser stays unknown. */
    async remember (request: FastifyRequest, reply: FastifyReply, account: Account, isKnown: boolean) {
      if (!isKnown && (await counters.take(`new-browsers:${account.id}`, NEW_WINDOW)).count > MAX_NEW) return
      const { id, marks } = read(request) ?? { id: randomBytes(16).toString('base64url'), marks: [] }
      const [mark, ...older] = marksOf(id, account)
      const others = marks.filter(each => each !== mark && !older.includes(each))
      cookie.write(reply, [id, mark, ...others].slice(0, 1 + MAX_MARKS).join('.'))
    },
  }
}

export default fp(async function (app) {
  app.decorate('knownBrowsers', createKnownBrowsers(app))
}, { name: 'known-browsers', dependencies: ['cookies', 'counters', 'users'] })
