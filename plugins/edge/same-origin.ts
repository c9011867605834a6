import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Forbidden } from '../../src/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of other sites may send this request: it does nothing in the name of the user. */
    isForOtherSites?: boolean
  }
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses unsafe requests from pages of other origins, except those of APP_ORIGINS. Browsers set `Origin` and
 * `Sec-Fetch-Site`, and scripts cannot. A request with neither comes from a program, which does not send a user's
 * cookies by accident.
 */
export default fp(async function (app) {
  const { APP_ORIGINS, NODE_ENV, PUBLIC_URL } = app.config
  const allowed = [new URL(PUBLIC_URL).origin, ...APP_ORIGINS]

  function isAllowed (origin: string, { raw }: FastifyRequest): boolean {
    // Not request.host, which trusts X-Forwarded-Host.
    const { host } = raw.headers
    const isHost = [`http://${host}`, `https://${host}`].includes(origin)
    return allowed.includes(origin) || (NODE_ENV !== 'production' && isHost)
  }

  function isCrossSite (request: FastifyRequest): boolean {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (site === 'cross-site') return true
    if (origin !== undefined) return !isAllowed(origin, request)
    return site !== undefined && site !== 'same-origin' && site !== 'none'
  }

  app.addHook('onRequest', function refuseCrossSite (request, _reply, done) {
    const isHarmless = SAFE_METHODS.includes(request.method) || request.routeOptions.config.isForOtherSites
    if (isHarmless || !isCrossSite(request)) done()
    else done(new Forbidden(`Only pages of ${allowed.join(', ')} may send this request.`))
  })
}, { name: 'same-origin', dependencies: ['headers'] })
