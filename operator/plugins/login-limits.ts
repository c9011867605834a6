import fp from 'fastify-plugin'

/** An attempt that ended with an error is decided, as on the public port. */
export default fp(async function (app) {
  const { limits } = app
  app.addHook('onError', async function settleAttempts (request, reply) {
    await limits.settle(request, reply)
  })
}, { name: 'login-limits' })
