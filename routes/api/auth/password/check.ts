import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PasswordCheckSchema } from '../../../../schemas/passwords.ts'
import { clientGroup } from '../../../../src/edge/client-address.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { passwords } = app

  app.post('/check', {
    schema: PasswordCheckSchema,
    config: { limit: 'anonymous' },
  }, async function checkPassword (request) {
    const { password, username = '', email = '', name = '' } = request.body
    return passwords.assess(password, [username, email, name], clientGroup(request.ip))
  })
}

export default routes
