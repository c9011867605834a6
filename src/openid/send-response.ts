import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isNavigation } from '../edge/page-visit.ts'
import { NotFound } from '../errors.ts'
import { languageOf } from '../site/language.ts'
import { applicationHost } from './application-host.ts'
import { COOKIES } from './provider-settings.ts'
import type { Visit } from './visit.ts'

/** The provider would keep the session in a cookie of its own. */
const isOfSession = (cookie: string) => new RegExp(`^${COOKIES.session}[.=]`).test(cookie)

/** For errors of the service, too: a page of another origin must be able to read them. */
const isForErrors = (name: string) => name === 'vary' || name.startsWith('access-control-')

/** Takes the headers that Koa has set, so that they are sent with its response alone. */
export function takeHeaders ({ session }: Visit, reply: FastifyReply): OutgoingHttpHeaders {
  const taken: OutgoingHttpHeaders = {}
  for (const [name, value = ''] of Object.entries(reply.raw.getHeaders())) {
    reply.raw.removeHeader(name)
    // Fastify computes them.
    if (name === 'content-length' || name === 'transfer-encoding') continue
    if (isForErrors(name)) reply.header(name, value)
    else if (name !== 'set-cookie' || !session) taken[name] = value as OutgoingHttpHeader
    else taken[name] = [value].flat().map(String).filter(cookie => !isOfSession(cookie))
  }
  return taken
}

/** Sends a page in the language of the user. */
export const sendPage = (reply: FastifyReply, html: string) =>
  reply.headers({ 'content-type': 'text/html; charset=utf-8', vary: 'accept-language, cookie' }).send(html)

/**
 * Another account was signed in after the interaction began. The provider would ask to sign it out: the interaction
 * goes on with that account. Undefined if that is not so.
 */
export function goOnWithOther ({ ctx, session }: Visit, reply: FastifyReply): FastifyReply | undefined {
  if (!session || !ctx?.oidc?.session?.state) return undefined
  return reply.redirect(`/oidc/interaction/${ctx.oidc.entities.Interaction?.uid}`, 303)
}

/** Sends what the provider has computed. People get a page where something is wrong, and programs the OAuth error. */
export function sendResponse (visit: Visit, request: FastifyRequest, reply: FastifyReply) {
  const { ctx, error, headers } = visit
  reply.headers(headers ?? {})
  if (!ctx) throw new NotFound()
  const status = error && ctx.status < 400 ? 400 : ctx.status
  if (error && isNavigation(request.headers)) {
    request.log.warn({ error: error.code, description: error.description }, 'a request of an application was refused')
    const host = applicationHost(error.returnTo)
    return sendPage(reply.code(status), request.server.pages.openid.error(languageOf(request), { ...error, host }))
  }
  if (error) return reply.code(status).send({ error: error.code, error_description: error.description })
  if (ctx.status === 404 && !ctx.body) throw new NotFound()
  return reply.code(ctx.status).send(ctx.body ?? undefined)
}
