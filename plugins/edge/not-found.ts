import findMyWay, { type HTTPMethod } from 'find-my-way'
import fp from 'fastify-plugin'
import { MethodNotAllowed, NotFound } from '../../src/errors.ts'

/** 405 if the path exists for another method, 404 otherwise. */
export default fp(async function (app) {
  const router = findMyWay()
  const methods = new Set<HTTPMethod>()

  app.addHook('onRoute', function addRoute ({ method, url }) {
    // @fastify/cors adds a route for preflight requests to every path.
    if (url === '*') return
    for (const each of [method].flat() as HTTPMethod[]) {
      methods.add(each)
      if (!router.hasRoute(each, url)) router.on(each, url, () => {})
    }
  })

  app.setNotFoundHandler(function notFound (request) {
    // The router cuts off the query itself, by the same rules as the router of Fastify: `;` is part of the path.
    const allowed = [...methods].filter(method => router.find(method, request.url))
    // A wildcard route that found nothing ends here too, with a method that its address takes.
    const isAllowed = allowed.length === 0 || allowed.includes(request.method as HTTPMethod)
    throw isAllowed ? new NotFound() : new MethodNotAllowed(allowed)
  })
}, { name: 'not-found' })
