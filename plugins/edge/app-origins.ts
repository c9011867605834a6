import cors from '@fastify/cors'
import fp from 'fastify-plugin'

/** Seconds for which browsers need not ask again. */
const PREFLIGHT_MAX_AGE = 600

/** Lets scripts on pages of APP_ORIGINS read responses and send cookies. Other origins get no CORS header at all. */
export default fp(async function (app) {
  const { APP_ORIGINS } = app.config
  if (APP_ORIGINS.length === 0) return

  await app.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && APP_ORIGINS.includes(origin) ? origin : false),
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['content-type', 'x-csrf-token'],
    exposedHeaders: ['retry-after'],
    maxAge: PREFLIGHT_MAX_AGE,
  })

  // Routes set a Vary of their own. Without this one, a cache could send the response for one origin to another.
  app.addHook('onSend', function varyByOrigin (_request, reply, payload, done) {
    const vary = String(reply.getHeader('vary') ?? '')
    if (!/\borigin\b/i.test(vary)) reply.header('vary', vary ? `${vary}, origin` : 'origin')
    done(null, payload)
  })
}, { name: 'app-origins', dependencies: ['headers'] })
