import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ProveDeviceSchema, RegisterDeviceSchema } from '../../../schemas/device.ts'
import { handleError } from '../../../src/error-handler.ts'
import { Unavailable } from '../../../src/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { deviceBinding } = app

  app.post('/device', {
    schema: RegisterDeviceSchema,
    // After the callback of a provider, it counts as a request of that site. The challenge names the session.
    config: { limit: 'session', isForOtherSites: true },
  }, async function registerDevice (request, reply) {
    return deviceBinding.register(request, reply)
  })

  async function proveDevice (request: FastifyRequest, reply: FastifyReply) {
    return reply.send(await deviceBinding.prove(request, reply))
  }

  // Browsers forget their key after any answer but 200, 403 and 503: there is no limit, and it is answered before the
  // body is looked at, whatever the method.
  const proof = {
    config: { isForOtherSites: true },
    onRequest: proveDevice,
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      handleError(new Unavailable(error), request, reply),
  }
  app.post('/device/proof', { schema: ProveDeviceSchema, ...proof }, proveDevice)
  app.route({
    method: ['GET', 'PUT', 'PATCH', 'DELETE'],
    url: '/device/proof',
    schema: { ...ProveDeviceSchema, hide: true },
    ...proof,
    handler: proveDevice,
  })
}

export default routes
