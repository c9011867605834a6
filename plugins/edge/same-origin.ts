import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Forbidden } from '../../src/errors.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Pages of other sites change nothing here, signed in or not. Browsers send both headers and no page can set them;
 * programs that send neither carry nobody's cookies by accident.
 */
export default fp(async function (app) {
  const { NODE_ENV, PUBLIC_URL } = app.config
  const ours = new URL(PUBLIC_URL).origin

  function isOurs (origin: string, { raw }: FastifyRequest): boolean {
    // Not request.host, which believes X-Forwarded-Host.
    const { host } = raw.headers
    return origin === ours || (NODE_ENV !== 'production' && [`http://${host}`, `https://${host}`].includes(origin))
  }

  function isForeign (request: FastifyRequest): boolean {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (site === 'cross-site') return true
    if (origin !== undefined) return !isOurs(origin, request)
    return site !== undefined && site !== 'same-origin' && site !== 'none'
  }

  app.addHook('onRequest', function refuseOtherSites (request, _reply, done) {
    if (SAFE_METHODS.includes(request.method) || !isForeign(request)) done()
    else done(new Forbidden(`Only pages of ${ours} may send this request.`))
  })
}, { name: 'same-origin', dependencies: ['headers'] })
