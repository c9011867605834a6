import type { FastifyReply, FastifyRequest } from 'fastify'
import { isNavigation } from '../edge/page-visit.ts'
import { NotFound } from '../errors.ts'
import { languageOf } from '../site/language.ts'
import { COOKIES } from './provider-settings.ts'
import type { Visit } from './visit.ts'

/** The provider would keep the session in a cookie of its own. */
const isOfSession = (cookie: string) => new RegExp(`^${COOKIES.session}[.=]`).test(cookie)

/** Moves the headers that Koa has set to Fastify's response. */
function moveHeaders ({ session }: Visit, reply: FastifyReply) {
  for (const [name, value = ''] of Object.entries(reply.raw.getHeaders())) {
    reply.raw.removeHeader(name)
    // Fastify computes them.
    if (name === 'content-length' || name === 'transfer-encoding') continue
    const kept = name === 'set-cookie' && session ? [value].flat().filter(each => !isOfSession(String(each))) : value
    if (!Array.isArray(kept) || kept.length > 0) reply.header(name, kept)
  }
}

/** Sends what the provider has computed. People get a page where something is wrong, and programs the OAuth error. */
export function sendResponse (visit: Visit, request: FastifyRequest, reply: FastifyReply) {
  const { ctx, error } = visit
  moveHeaders(visit, reply)
  if (!ctx) throw new NotFound()
  const status = error && ctx.status < 400 ? 400 : ctx.status
  if (error && isNavigation(request.headers)) {
    request.log.warn({ error: error.code, description: error.description }, 'a request of an application was refused')
    reply.code(status).headers({ 'content-type': 'text/html; charset=utf-8', vary: 'accept-language, cookie' })
    return reply.send(request.server.pages.openid.error(languageOf(request), error))
  }
  if (error) return reply.code(status).send({ error: error.code, error_description: error.description })
  if (ctx.status === 404 && !ctx.body) throw new NotFound()
  return reply.code(ctx.status).send(ctx.body ?? undefined)
}
