import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { keysFor } from '../../src/secrets/derived-keys.ts'
import { valuesOfCookie } from '../../src/sessions/cookie-values.ts'
import { signedCookie, type SignedCookie } from '../../src/sessions/signed-cookie.ts'
import type { Config } from '../../src/config.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tokenCookies: ReturnType<typeof createTokenCookies>
    /** The listener for operators has cookies of its own: browsers send the same ones to every port of a host. */
    cookieScope: { prefix: string, path: string }
  }
}

interface TokenPair {
  access: { value: string, maxAge: number }
  refresh: { value: string, maxAge: number }
}

const ACCESS = 'access_token'
const REFRESH = 'refresh_token'
/** Browsers accept it from this host only, so that no other host under COOKIE_DOMAIN can set it. */
const PREFIXED_REFRESH = `__Host-${REFRESH}`
/** Browsers keep it for the session that a key of the device belongs to. See device-binding.ts. */
const PROOF = 'device_proof'
const KEY = 'device_key'
const DAY = 24 * 60 * 60

/** Attributes of every cookie of the service: hidden from scripts, same-site requests only, this host only. */
export function strictCookie (production: boolean): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: production }
}

/** A signed cookie. In production it has the prefix, so that no sibling host can plant one. `maxAge`: in seconds. */
export function hostCookie (name: string, maxAge: number, { NODE_ENV }: Config): SignedCookie {
  const production = NODE_ENV === 'production'
  return signedCookie(`${production ? '__Host-' : ''}${name}`, { ...strictCookie(production), maxAge })
}

/**
 * With COOKIE_DOMAIN, the access token goes to all hosts under it, for the access checks at the hosts of apps.
 * The refresh token always stays here.
 */
function createTokenCookies ({ config }: FastifyInstance) {
  const production = config.NODE_ENV === 'production'
  const domain = config.COOKIE_DOMAIN || undefined
  const attributes = strictCookie(production)
  const refreshName = domain && production ? PREFIXED_REFRESH : REFRESH
  const otherName = refreshName === REFRESH ? PREFIXED_REFRESH : REFRESH
  // Secure in any case: browsers use keys of the device over HTTPS only.
  const ofDevice = { ...attributes, secure: true }
  const prefix = domain && production ? '__Host-' : ''
  const proofName = prefix + PROOF
  const keyName = prefix + KEY

  /** The cookies from before COOKIE_DOMAIN was set or removed would be sent beside the new ones. */
  function clearFormer (reply: FastifyReply) {
    if (domain) reply.clearCookie(ACCESS, attributes)
    if (otherName in reply.request.cookies) reply.clearCookie(otherName, attributes)
    clearProof(reply)
  }

  /** A proof is for one refresh token, and the browser would keep it for the next one. */
  function clearProof (reply: FastifyReply) {
    if (proofName in reply.request.cookies) reply.clearCookie(proofName, ofDevice)
  }

  return {
    set (reply: FastifyReply, { access, refresh }: TokenPair) {
      clearFormer(reply)
      reply.setCookie(ACCESS, access.value, { ...attributes, domain, maxAge: access.maxAge })
      reply.setCookie(refreshName, refresh.value, { ...attributes, maxAge: refresh.maxAge })
    },

    clear (reply: FastifyReply) {
      clearFormer(reply)
      reply.clearCookie(ACCESS, { ...attributes, domain })
      reply.clearCookie(refreshName, attributes)
      if (keyName in reply.request.cookies) reply.clearCookie(keyName, ofDevice)
    },

    clearProof,

    setProof (reply: FastifyReply, value: string, maxAge: number) {
      reply.setCookie(proofName, value, { ...ofDevice, maxAge })
    },

    proof: ({ cookies }: FastifyRequest) => cookies[proofName],

    /** The cookie as the browser is told to expect it. */
    proofCookie: { name: proofName, attributes: 'Path=/; Secure; HttpOnly; SameSite=Strict' },

    setDevice (reply: FastifyReply, value: string) {
      reply.setCookie(keyName, value, { ...ofDevice, maxAge: config.SESSION_MAX_AGE * DAY })
    },

    device: ({ cookies }: FastifyRequest) => cookies[keyName],

    /** Whether new refresh tokens are in the cookie with the prefix. */
    usesPrefix: refreshName === PREFIXED_REFRESH,

    /** Under both names: instances may differ while COOKIE_DOMAIN is being set. */
    refresh: ({ cookies }: FastifyRequest) => ({
      value: cookies[PREFIXED_REFRESH] ?? cookies[REFRESH],
      isPrefixed: PREFIXED_REFRESH in cookies,
    }),

    /** Ours has the shortest path and comes first here. Other hosts under the domain can set more, with longer ones. */
    access: ({ raw }: FastifyRequest) => valuesOfCookie(raw.headers.cookie, ACCESS).reverse(),
  }
}

export default fp(async function (app) {
  await app.register(cookie, { secret: keysFor('cookies', app.config) })
  app.decorate('cookieScope', { prefix: '', path: '/' })
  app.decorate('tokenCookies', createTokenCookies(app))
}, { name: 'cookies' })
