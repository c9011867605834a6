import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import type { User } from '../records/accounts/users.ts'
import { strictCookie } from '../sessions/cookies.ts'

declare module 'fastify' {
  interface FastifyInstance { rememberedBrowsers: ReturnType<typeof createRememberedBrowsers> }
}

type Account = Pick<User, 'id' | 'passwordHash' | 'factorsVersion'>

const DAY = 24 * 60 * 60
const COOKIE = 'remembered_browser'
/** Accounts that one browser is remembered for. */
const MAX_MARKS = 5

/**
 * Browsers that are not asked for the second factor. Only the signed cookie knows them: `expiry-mark.expiry-mark…`.
 * A mark is bound to the account, its password and its factors.
 */
function createRememberedBrowsers ({ config }: FastifyInstance) {
  const keys = keysFor('remembered-browsers', config)
  const attributes = {
    ...strictCookie(config.NODE_ENV === 'production'),
    // The callback of a provider must read it, and browsers send no Strict cookie there.
    sameSite: 'lax' as const,
    signed: true,
  }

  function marksOf (expiry: string, { id, passwordHash, factorsVersion }: Account): Buffer[] {
    const text = [expiry, id, factorsVersion, passwordHash ?? ''].join(' ')
    return keys.map(key => createHmac('sha256', key).update(text).digest())
  }

  function read (request: FastifyRequest): string[] {
    const { valid, value } = request.unsignCookie(request.cookies[COOKIE] ?? '')
    const entries = valid ? value.split('.') : []
    return entries.filter(entry => Number(entry.split('-', 1)[0]) * 1_000 > Date.now())
  }

  function isOf (entry: string, account: Account): boolean {
    const expiry = entry.split('-', 1)[0] as string
    const given = Buffer.from(entry.slice(expiry.length + 1), 'base64url')
    return marksOf(expiry, account).some(mark => mark.length === given.length && timingSafeEqual(mark, given))
  }

  return {
    isRemembered: (request: FastifyRequest, account: Account): boolean =>
      config.REMEMBER_BROWSER_DAYS > 0 && read(request).some(entry => isOf(entry, account)),

    remember (request: FastifyRequest, reply: FastifyReply, account: Account) {
      const maxAge = config.REMEMBER_BROWSER_DAYS * DAY
      if (maxAge === 0) return
      const expiry = String(Math.floor(Date.now() / 1_000) + maxAge)
      const [mark] = marksOf(expiry, account) as [Buffer]
      const others = read(request).filter(entry => !isOf(entry, account))
      const entries = [`${expiry}-${mark.toString('base64url')}`, ...others].slice(0, MAX_MARKS)
      reply.setCookie(COOKIE, entries.join('.'), { ...attributes, maxAge })
    },
  }
}

export default fp(async function (app) {
  app.decorate('rememberedBrowsers', createRememberedBrowsers(app))
}, { name: 'remembered-browsers', dependencies: ['cookies'] })
