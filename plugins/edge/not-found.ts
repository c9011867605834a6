import findMyWay, { type HTTPMethod } from 'find-my-way'
import fp from 'fastify-plugin'
import { MethodNotAllowed, NotFound } from '../../src/errors.ts'
import { pathOf } from '../../src/http/path.ts'

/** 405 where the address exists for another method, 404 elsewhere. */
export default fp(async function (app) {
  const addresses = findMyWay()
  const methods = new Set<HTTPMethod>()

  app.addHook('onRoute', function remember ({ method, url }) {
    for (const each of [method].flat() as HTTPMethod[]) {
      methods.add(each)
      if (!addresses.hasRoute(each, url)) addresses.on(each, url, () => {})
    }
  })

  app.setNotFoundHandler(function notFound (request) {
    const allowed = [...methods].filter(method => addresses.find(method, pathOf(request.url)))
    throw allowed.length > 0 ? new MethodNotAllowed(allowed) : new NotFound()
  })
}, { name: 'not-found' })
