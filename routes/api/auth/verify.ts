import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { VerifySchema } from '../../../schemas/sessions.ts'
import { Unauthorized } from '../../../src/errors.ts'
import { SecondFactorRequired } from '../../../src/factors/errors.ts'
import { signInAddress } from '../../../src/edge/page-visit.ts'

/** The reverse proxy asks for each request: a session that has ended is noticed after this many milliseconds. */
const MAX_TOKEN_AGE = 1_000

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { serviceTokens, tokenClaims } = app

  /**
   * Sends page visits to the login page. nginx does not accept a redirect here: it makes its own from `Location`.
   * Other reverse proxies pass a redirect on to the browser.
   */
  function addLoginPage (thrown: Error, request: FastifyRequest, reply: FastifyReply) {
    const error = thrown instanceof SecondFactorRequired ? new Unauthorized() : thrown
    const address = error instanceof Unauthorized && signInAddress(request.headers, app.config)
    if (!address) throw error
    const { 'signed-out': signedOut } = request.query as { 'signed-out'?: unknown }
    // Absolute, because Traefik resolves a path against the internal host of this service.
    if (signedOut === 'redirect') return reply.redirect(new URL(address, app.config.PUBLIC_URL).href)
    reply.header('location', address)
    throw error
  }

  /** For reverse proxies: nginx `auth_request`, Traefik, Caddy, Envoy. */
  app.get('/verify', {
    schema: VerifySchema,
    config: { quiet: true, isForProxies: true },
    onRequest: app.authenticate,
    errorHandler: addLoginPage,
  }, async function verify ({ user, query }, reply) {
    // Encoded: the username of a social account may contain characters that headers cannot.
    const headers = ['x-auth-user-id', user.userId, 'x-auth-username', encodeURI(user.username)]
    if (tokenClaims.areUsed) {
      const { userId } = user
      headers.push('x-auth-claims', tokenClaims.knownHeader(userId) ?? await tokenClaims.readHeader(userId))
    }
    if (query.audience !== undefined) {
      const { token } = await serviceTokens.issue(user, query.audience, { maxAge: MAX_TOKEN_AGE })
      headers.push('x-auth-token', token)
    }
    reply.sendAtOnce(204, headers)
  })
}

export default routes
