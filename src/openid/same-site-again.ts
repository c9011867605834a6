import type { FastifyReply, FastifyRequest } from 'fastify'
import { isNavigation } from '../edge/page-visit.ts'
import { escapeHtml } from '../site/html.ts'

/** Also of a request with a complete URL, which can name any host. A query may have more question marks. */
function partsOf ({ url }: FastifyRequest) {
  const [path = '', ...query] = url.replace(/^\w+:\/\/[^/]*/, '').split('?')
  return { path, query: query.join('?') }
}

/** Marks the second request of two. The provider ignores it. */
const MARK = 'same_site'

/**
 * A navigation that another site began comes without the Strict cookies. This page, which shows nothing, repeats it: a
 * navigation of our own page has them. Undefined if that has been done, or there is no browser.
 */
export function againFromHere (
  request: FastifyRequest,
  reply: FastifyReply,
  query: URLSearchParams
): FastifyReply | undefined {
  if (query.has(MARK) || !isNavigation(request.headers)) return undefined
  const address = `${partsOf(request).path}?${new URLSearchParams([...query, [MARK, '1']])}`
  reply.headers({ 'content-type': 'text/html; charset=utf-8' })
  return reply.send(`<!doctype html><meta http-equiv="refresh" content="0;url=${escapeHtml(address)}"><title>…</title>`)
}

/** The query as it was sent, with parameters that occur twice. */
export const queryOf = (request: FastifyRequest): URLSearchParams => new URLSearchParams(partsOf(request).query)
