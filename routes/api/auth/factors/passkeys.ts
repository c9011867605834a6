import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AddPasskeySchema, NewPasskeyOptionsSchema, RemovePasskeySchema, RenamePasskeySchema,
} from '../../../../schemas/passkeys.ts'
import { NotFound } from '../../../../src/errors.ts'
import { RefusedPasskey } from '../../../../src/factors/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { authenticate, authenticateToEnrol, csrf, factors, ownPasskeys, replaceSession, requireFresh } = app
  const enrolling = {
    config: { limit: 'general' as const },
    onRequest: [authenticateToEnrol, csrf.protect, factors.requireAllowed, requireFresh],
  }
  const guarded = {
    config: { limit: 'general' as const },
    onRequest: [authenticate, csrf.protect, requireFresh],
  }

  app.post('/passkeys/options', {
    schema: NewPasskeyOptionsSchema,
    ...enrolling,
  }, async function getNewPasskeyOptions (request, reply) {
    return ownPasskeys.creationOptions(request, reply)
  })

  app.post('/passkeys', { schema: AddPasskeySchema, ...enrolling }, async function addPasskey (request, reply) {
    const { response, name } = request.body
    const added = await ownPasskeys.add(request, response, name)
    if (!added) throw new RefusedPasskey()
    replaceSession.finish(request, reply, added.successor)
    return reply.code(201).send({ passkey: added.passkey })
  })

  app.patch('/passkeys/:id', { schema: RenamePasskeySchema, ...guarded }, async function renamePasskey (request) {
    const passkey = await ownPasskeys.rename(request, request.params.id, request.body.name)
    if (!passkey) throw new NotFound()
    return { passkey }
  })

  app.delete('/passkeys/:id', {
    schema: RemovePasskeySchema,
    ...guarded,
  }, async function removePasskey (request, reply) {
    await ownPasskeys.remove(request, request.params.id)
    return reply.code(204).send()
  })
}

export default routes
