import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ProveDeviceSchema, RegisterDeviceSchema } from '../../../schemas/device.ts'
import { handleError } from '../../../src/error-handler.ts'
import { Unavailable } from '../../../src/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { deviceBinding } = app

  // Browsers send no body. One that another client sends is ignored: an error would make a browser forget its key.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', function ignoreBody (_request, _payload, done) {
    done(null)
  })

  app.post('/device', {
    schema: RegisterDeviceSchema,
    // After the callback of a provider, it counts as a request of that site. The challenge names the session.
    config: { limit: 'session', isForOtherSites: true },
  }, async function registerDevice (request, reply) {
    return deviceBinding.register(request, reply)
  })

  app.post('/device/proof', {
    schema: ProveDeviceSchema,
    config: { isForOtherSites: true },
    errorHandler: (error, request, reply) => handleError(new Unavailable(error), request, reply),
  }, async function proveDevice (request, reply) {
    return reply.send(await deviceBinding.prove(request, reply))
  })
}

export default routes
