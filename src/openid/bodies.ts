import type { FastifyInstance, FastifyRequest } from 'fastify'

/** For routes on which the provider reads the body itself, at most 56 KB. */
export function leaveBody (app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** For forms of other sites, which `formOf` reads. */
export function acceptForms (app: FastifyInstance) {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async function parseForm (
    _request: unknown,
    body: string
  ) {
    return body
  })
}

export const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(typeof body === 'string' ? body : '')
