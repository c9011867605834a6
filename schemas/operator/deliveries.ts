import { Type } from '@sinclair/typebox'
import { NoSuchDelivery } from '../../src/operators/errors.ts'
import { errorResponse, response, stringEnum, textOrNull } from '../common.ts'
import { strict } from '../fields.ts'
import {
  Cursor, Limit, Next, READ_FAILURES, timestamp, timestampOrNull, WRITE_FAILURES,
} from './common.ts'
import { WITH_KEY } from './documentation.ts'
import { noSuchWebhook, WebhookId, webhookParams } from './webhooks.ts'

const State = stringEnum('waiting', 'delivered', 'failed')

const Delivery = Type.Object({
  id: Type.String({ maxLength: 20 }),
  messageId: Type.String({ maxLength: 60, description: 'The `webhook-id` header, the same for each attempt' }),
  type: Type.String({ maxLength: 40 }),
  accountId: Type.Unsafe<string | null>({ ...textOrNull(), description: 'The user that it is about, if there is one' }),
  at: timestamp('When the event happened'),
  status: State,
  attempts: Type.Integer(),
  dueAt: timestamp('While it waits: when it is tried next'),
  endedAt: timestampOrNull('When it was delivered or given up'),
  answerStatus: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The HTTP status of the latest answer',
  }),
  answer: Type.Unsafe<string | null>({
    ...textOrNull(),
    description: 'The first 1,000 characters of the latest answer, as the endpoint sent them: do not trust them',
  }),
  error: Type.Unsafe<string | null>({ ...textOrNull(), description: 'Why there was no answer' }),
}, { title: 'Delivery' })

const AT = '2026-01-31T09:00:00.000Z'
const DELIVERY = {
  id: '812',
  messageId: 'msg_Vb8Jf0vFQpUu3yG0Jr2YwYk1mCqTtq2hJ4m8b0VhS5c',
  type: 'user.created',
  accountId: '42',
  at: AT,
  status: 'waiting',
  attempts: 3,
  dueAt: AT,
  endedAt: null,
  answerStatus: 500,
  answer: 'Internal Server Error',
  error: null,
}

const common = { tags: ['Webhooks'], security: WITH_KEY }

export const DeliveriesSchema = {
  ...common,
  summary: 'List the messages to a webhook',
  description: 'The newest first, with the latest answer. They are deleted after 30 days. ' +
    'Needs the scope `webhooks:read`.',
  params: webhookParams,
  querystring: Type.Object({ state: Type.Optional(State), limit: Limit, cursor: Cursor }, strict),
  response: {
    200: response('A page of messages.', Type.Object({ deliveries: Type.Array(Delivery), next: Next }, {
      examples: [{ deliveries: [DELIVERY], next: null }],
    })),
    ...READ_FAILURES,
    ...noSuchWebhook,
  },
}

const changed = response('Done.', Type.Object({
  changed: Type.Boolean({ description: 'False if there was nothing to do' }),
}, { examples: [{ changed: true }] }))

export const PauseWebhookSchema = {
  ...common,
  summary: 'Pause a webhook',
  description: 'Keeps the messages back until it is resumed. Needs the scope `webhooks:write`.',
  params: webhookParams,
  response: { 200: changed, ...WRITE_FAILURES, ...noSuchWebhook },
}

export const ResumeWebhookSchema = {
  ...common,
  summary: 'Resume a webhook',
  description: 'Sends the messages that have waited. Needs the scope `webhooks:write`.',
  params: webhookParams,
  response: { 200: changed, ...WRITE_FAILURES, ...noSuchWebhook },
}

export const ResendDeliverySchema = {
  ...common,
  summary: 'Send a message again',
  description: 'With the same `webhook-id`. `changed` is false if it is still waiting. ' +
    'Needs the scope `webhooks:write`.',
  params: Type.Object({
    id: WebhookId,
    delivery: Type.String({ pattern: '^[0-9]{1,18}$', description: 'The id of the delivery' }),
  }, strict),
  response: {
    200: changed,
    ...WRITE_FAILURES,
    404: errorResponse('There is no such delivery to this webhook.', new NoSuchDelivery()),
  },
}
