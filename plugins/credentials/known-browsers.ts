import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/tokens/signing-keys.ts'
import { strictCookie } from './cookies.ts'
import type { User } from '../records/users.ts'

declare module 'fastify' {
  interface FastifyInstance { knownBrowsers: ReturnType<typeof createKnownBrowsers> }
}

type Account = Pick<User, 'username' | 'email' | 'passwordHash'>

/** The maximum that browsers allow for a cookie. */
const LIFETIME = 400 * 24 * 60 * 60
/** Enough for five accounts, each with a username and an email. */
const MAX_MARKS = 10

/**
 * Recognizes browsers that have signed in to an account before. The only record is a signed cookie:
 * `id.mark.mark…`, with one mark for each login name.
 */
function createKnownBrowsers (app: FastifyInstance) {
  const keys = keysFor('devices', app.config)
  const attributes = { ...strictCookie(app.config.NODE_ENV === 'production'), signed: true, maxAge: LIFETIME }

  /** One mark for each key, the current key first. HMACs do not reveal the login name, and differ between browsers. */
  function marksOf (id: string, login: string): string[] {
    const text = `${id} ${login.toLowerCase()}`
    return keys.map(key => createHmac('sha256', key).update(text).digest('base64url').slice(0, 16))
  }

  function read (request: FastifyRequest): { id: string, marks: string[] } | undefined {
    const { valid, value } = request.unsignCookie(request.cookies.device ?? '')
    const [id, ...marks] = valid ? value.split('.') : []
    return id ? { id, marks } : undefined
  }

  /** The id of the browser, if it has signed in with this login name before. */
  function idFor (request: FastifyRequest, login: string): string | undefined {
    const browser = read(request)
    return browser && marksOf(browser.id, login).some(mark => browser.marks.includes(mark)) ? browser.id : undefined
  }

  return {
    idFor,

    knows: (request: FastifyRequest, user: Account): boolean => idFor(request, user.email) !== undefined,

    remember (request: FastifyRequest, reply: FastifyReply, user: Account) {
      const { id, marks } = read(request) ?? { id: randomBytes(16).toString('base64url'), marks: [] }
      // The username of a social account is not unique: it must not mark the browser as known to another account.
      const logins = user.passwordHash ? [user.username, user.email] : [user.email]
      const accountMarks = logins.map(login => marksOf(id, login))
      const otherMarks = marks.filter(mark => !accountMarks.flat().includes(mark))
      const kept = [...accountMarks.map(([mark]) => mark), ...otherMarks].slice(0, MAX_MARKS)
      reply.setCookie('device', [id, ...kept].join('.'), attributes)
    },
  }
}

export default fp(async function (app) {
  app.decorate('knownBrowsers', createKnownBrowsers(app))
}, { name: 'known-browsers', dependencies: ['cookies'] })
