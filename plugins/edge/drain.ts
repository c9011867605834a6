import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { drain: { begun: boolean, begin (): void } }
}

/** Between the signal and the end: not ready for new work, and each answer asks the client to come back on another connection. */
export default fp(async function (app) {
  const drain = { begun: false, begin () { drain.begun = true } }
  app.decorate('drain', drain)
  app.addHook('onRequest', function askToLeave (_request, reply, done) {
    if (drain.begun) reply.header('connection', 'close')
    done()
  })
}, { name: 'drain' })
