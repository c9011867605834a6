import { createHmac, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/tokens/signing-keys.ts'
import { strictCookie } from './cookies.ts'
import type { User } from '../records/users.ts'

declare module 'fastify' {
  interface FastifyInstance { knownBrowsers: ReturnType<typeof createKnownBrowsers> }
}

type Owner = Pick<User, 'username' | 'email' | 'passwordHash'>

/** The longest that browsers keep a cookie. */
const LIFETIME = 400 * 24 * 60 * 60
/** Five people, each with a username and an email. */
const MAX_MARKS = 10

/** Browsers that signed in before. The cookie alone knows them: `id.mark.mark…`, signed. */
function createKnownBrowsers (app: FastifyInstance) {
  const keys = keysFor('devices', app.config)
  const attributes = { ...strictCookie(app.config.NODE_ENV === 'production'), signed: true, maxAge: LIFETIME }

  /** They say nothing about the login to whoever reads the cookie, and differ from browser to browser. The first is the one to write. */
  function marksOf (id: string, login: string): string[] {
    return keys.map(key => createHmac('sha256', key).update(`${id} ${login.toLowerCase()}`).digest('base64url').slice(0, 16))
  }

  function read (request: FastifyRequest): { id: string, marks: string[] } | undefined {
    const { valid, value } = request.unsignCookie(request.cookies.device ?? '')
    const [id, ...marks] = valid ? value.split('.') : []
    return id ? { id, marks } : undefined
  }

  /** The id of a browser that signed in to the account of this login before. */
  function idFor (request: FastifyRequest, login: string): string | undefined {
    const device = read(request)
    return device && marksOf(device.id, login).some(mark => device.marks.includes(mark)) ? device.id : undefined
  }

  return {
    idFor,

    knows: (request: FastifyRequest, user: Owner): boolean => idFor(request, user.email) !== undefined,

    remember (request: FastifyRequest, reply: FastifyReply, user: Owner) {
      const { id, marks } = read(request) ?? { id: randomBytes(16).toString('base64url'), marks: [] }
      // The username of a social account may be another account's too, and must not pass for it.
      const logins = user.passwordHash ? [user.username, user.email] : [user.email]
      const known = logins.map(login => marksOf(id, login))
      const others = marks.filter(mark => !known.flat().includes(mark))
      reply.setCookie('device', [id, ...[...known.map(([mark]) => mark), ...others].slice(0, MAX_MARKS)].join('.'), attributes)
    },
  }
}

export default fp(async function (app) {
  app.decorate('knownBrowsers', createKnownBrowsers(app))
}, { name: 'known-browsers', dependencies: ['cookies'] })
