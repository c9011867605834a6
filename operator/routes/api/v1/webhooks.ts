import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  AddWebhookSchema, ChangeWebhookSchema, RemoveWebhookSchema, RotateWebhookSchema, WebhookSchema, WebhooksSchema,
} from '../../../../schemas/operator/webhooks.ts'
import { NoSuchWebhook } from '../../../../src/operators/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, refuseIdempotencyKey, webhooks } = app
  const onRequest = allow('webhooks:write')

  async function find (id: string) {
    const webhook = await webhooks.find(id)
    if (!webhook) throw new NoSuchWebhook()
    return webhook
  }

  app.get('', { schema: WebhooksSchema, onRequest: allow('webhooks:read') }, async function listWebhooks () {
    return { webhooks: await webhooks.list() }
  })

  app.get('/:id', {
    schema: WebhookSchema,
    onRequest: allow('webhooks:read'),
  }, async function getWebhook ({ params }) {
    return { webhook: await find(params.id) }
  })

  app.post('', {
    schema: AddWebhookSchema,
    onRequest,
    preHandler: refuseIdempotencyKey,
  }, async function addWebhook ({ actor, body }, reply) {
    const { id, secret } = await webhooks.add(body, actor)
    return reply.code(201).send({ webhook: await find(id), secret })
  })

  app.patch('/:id', { schema: ChangeWebhookSchema, onRequest }, async function changeWebhook ({ actor, body, params }) {
    if (!await webhooks.change(params.id, body, actor)) throw new NoSuchWebhook()
    return { webhook: await find(params.id) }
  })

  app.post('/:id/rotate', {
    schema: RotateWebhookSchema,
    onRequest,
    preHandler: refuseIdempotencyKey,
  }, async function rotateWebhookSecret ({ actor, params }) {
    const secret = await webhooks.rotate(params.id, actor)
    if (!secret) throw new NoSuchWebhook()
    return { secret }
  })

  app.delete('/:id', {
    schema: RemoveWebhookSchema,
    onRequest,
  }, async function removeWebhook ({ actor, params }, reply) {
    if (!await webhooks.remove(params.id, actor)) throw new NoSuchWebhook()
    return reply.code(204).send()
  })
}

export const autoPrefix = 'webhooks'
export default routes
