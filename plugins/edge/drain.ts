import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance { drain: { begun: boolean, begin (): void } }
}

/** During shutdown the instance is not ready, and each response asks the client to open a new connection. */
export default fp(async function (app) {
  const drain = { begun: false, begin () { drain.begun = true } }
  app.decorate('drain', drain)
  app.addHook('onSend', function closeConnection (_request, reply, payload, done) {
    if (drain.begun) reply.header('connection', 'close')
    done(null, payload)
  })
}, { name: 'drain' })
