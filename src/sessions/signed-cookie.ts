import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type SignedCookie = ReturnType<typeof signedCookie>

/**
 * What is signed ends with the name of the cookie, so that the value of one cookie is not accepted as another one.
 * Values have no `~`. Version 0.2 signed them without the name: `former` is the form of those that are still accepted,
 * and no other signed cookie of that version may have it.
 */
export function signedCookie (name: string, attributes: CookieSerializeOptions, former?: RegExp) {
  const ending = `.~${name}`

  return {
    read (request: FastifyRequest): string | undefined {
      const { valid, value } = request.unsignCookie(request.cookies[name] ?? '')
      if (!valid) return undefined
      if (value.endsWith(ending)) return value.slice(0, -ending.length)
      return former?.test(value) ? value : undefined
    },

    /** Returns what the browser gets. */
    write (reply: FastifyReply, value: string, maxAge = attributes.maxAge): string {
      const signed = reply.signCookie(value + ending)
      reply.setCookie(name, signed, { ...attributes, maxAge })
      return signed
    },

    clear (reply: FastifyReply) {
      reply.clearCookie(name, attributes)
    },
  }
}
