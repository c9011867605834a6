import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { limitOf } from '../../../../schemas/operator/common.ts'
import {
  DeliveriesSchema, PauseWebhookSchema, ResendDeliverySchema, ResumeWebhookSchema,
} from '../../../../schemas/operator/deliveries.ts'
import { NoSuchDelivery, NoSuchWebhook } from '../../../../src/operators/errors.ts'

const routes: FastifyPluginAsyncTypebox = async function (app) {
  const { allow, deliveryList, webhooks } = app
  const onRequest = allow('webhooks:write')

  async function requireWebhook (id: string) {
    if (!await webhooks.find(id)) throw new NoSuchWebhook()
  }

  app.post('/:id/pause', { schema: PauseWebhookSchema, onRequest }, async function pauseWebhook ({ actor, params }) {
    await requireWebhook(params.id)
    return { changed: await webhooks.pause(params.id, actor) }
  })

  app.post('/:id/resume', { schema: ResumeWebhookSchema, onRequest }, async function resumeWebhook ({ actor, params }) {
    await requireWebhook(params.id)
    return { changed: await webhooks.resume(params.id, actor) }
  })

  app.get('/:id/deliveries', {
    schema: DeliveriesSchema,
    onRequest: allow('webhooks:read'),
  }, async function listDeliveries ({ params, query }) {
    await requireWebhook(params.id)
    const { state, cursor } = query
    return deliveryList.page(params.id, { status: state, limit: limitOf(query), cursor })
  })

  app.post('/:id/deliveries/:delivery/resend', {
    schema: ResendDeliverySchema,
    onRequest,
  }, async function resendDelivery ({ actor, params }) {
    const found = await deliveryList.find(params.delivery)
    if (found?.webhookId !== params.id) throw new NoSuchDelivery()
    return { changed: await webhooks.resend(found.id, actor) }
  })
}

export const autoPrefix = 'webhooks'
export default routes
