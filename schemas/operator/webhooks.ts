import { Type } from '@sinclair/typebox'
import { EndpointOfApplication, NoSuchWebhook } from '../../src/operators/errors.ts'
import { MESSAGE_TYPES } from '../../src/webhooks/messages.ts'
import { errorResponse, noContent, plainText, response, stringEnum, textOrNull } from '../common.ts'
import { strict } from '../fields.ts'
import { READ_FAILURES, timestamp, timestampOrNull, WRITE_FAILURES } from './common.ts'
import { WITH_KEY } from './documentation.ts'

export const WebhookId = Type.String({ format: 'uuid', maxLength: 36, description: 'The id of the webhook' })
export const webhookParams = Type.Object({ id: WebhookId }, strict)
const ofApplication = {
  409: errorResponse('It belongs to an application, which keeps it.', new EndpointOfApplication('Wiki')),
}
export const noSuchWebhook = { 404: errorResponse('There is no such webhook.', new NoSuchWebhook()) }

const Webhook = Type.Object({
  id: Type.String({ maxLength: 36 }),
  url: Type.String({ maxLength: 2_000 }),
  events: Type.Array(Type.String({ maxLength: 40 })),
  notify: textOrNull({ maxLength: 254 }),
  createdAt: timestamp('When it was added'),
  succeededAt: timestampOrNull('When a message was last delivered'),
  pausedAt: timestampOrNull('Since when messages are kept back'),
  pausedFor: Type.Unsafe<string | null>({ ...textOrNull(), description: 'Why they are kept back' }),
  application: Type.Unsafe<{ id: string, name: string } | null>({
    type: ['object', 'null'],
    properties: { id: { type: 'string', maxLength: 36 }, name: { type: 'string', maxLength: 200 } },
    required: ['id', 'name'],
    description: 'The application that is told about sign-outs here. It keeps the endpoint, which has no events',
  }),
}, { title: 'Webhook' })

const HOOK = {
  id: '3f6d2c1e-9b7a-4c55-8a1f-0e2d4b6c8a90',
  url: 'https://app.example.com/hooks',
  events: ['user.created', 'user.deleted'],
  notify: 'ops@example.com',
  createdAt: '2026-01-31T09:00:00.000Z',
  succeededAt: null,
  pausedAt: null,
  pausedFor: null,
  application: null,
}

const Secret = Type.String({ maxLength: 60, description: 'Signs the messages. It is not shown again' })
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='

const url = plainText({ minLength: 1, maxLength: 2_000, description: 'https: in production, and no private address' })
const events = Type.Array(stringEnum('*', ...MESSAGE_TYPES), {
  minItems: 1,
  maxItems: 20,
  description: 'The types of messages that are sent. `*` is all of them',
})
const address = { type: 'string', format: 'email', maxLength: 254 }
const notify = Type.Unsafe<string | null>({
  anyOf: [address, { type: 'null' }],
  description: 'Gets a mail when the endpoint is paused',
})

const common = { tags: ['Webhooks'], security: WITH_KEY }
const one = Type.Object({ webhook: Webhook }, { examples: [{ webhook: HOOK }] })
const onceOnly = 'An `Idempotency-Key` is refused (400), because the response has a secret, which is never stored.'

export const WebhooksSchema = {
  ...common,
  summary: 'List the webhooks',
  description: 'Without their secrets. Needs the scope `webhooks:read`.',
  response: {
    200: response('The webhooks.', Type.Object({ webhooks: Type.Array(Webhook) }, {
      examples: [{ webhooks: [HOOK] }],
    })),
    ...READ_FAILURES,
  },
}

export const WebhookSchema = {
  ...common,
  summary: 'See a webhook',
  description: 'Without its secret. Needs the scope `webhooks:read`.',
  params: webhookParams,
  response: { 200: response('The webhook.', one), ...READ_FAILURES, ...noSuchWebhook },
}

export const AddWebhookSchema = {
  ...common,
  summary: 'Add a webhook',
  description: `Messages begin with the events after this moment. ${onceOnly} Needs the scope \`webhooks:write\`.`,
  body: Type.Object({ url, events, notify: Type.Optional(notify) }, {
    ...strict,
    examples: [{ url: HOOK.url, events: HOOK.events, notify: HOOK.notify }],
  }),
  response: {
    201: response('Added. The secret is not shown again.', Type.Object({ webhook: Webhook, secret: Secret }, {
      examples: [{ webhook: HOOK, secret: SECRET }],
    })),
    ...WRITE_FAILURES,
  },
}

export const ChangeWebhookSchema = {
  ...common,
  summary: 'Change a webhook',
  description: 'Messages that wait are sent to the new URL. `notify`: null sends no more mails. ' +
    'Of the endpoint of an application, only `notify` can change. Needs the scope `webhooks:write`.',
  params: webhookParams,
  body: Type.Object({ url: Type.Optional(url), events: Type.Optional(events), notify: Type.Optional(notify) }, {
    ...strict,
    minProperties: 1,
    examples: [{ events: ['*'] }],
  }),
  response: { 200: response('Changed.', one), ...WRITE_FAILURES, ...noSuchWebhook, ...ofApplication },
}

export const RotateWebhookSchema = {
  ...common,
  summary: 'Rotate the secret of a webhook',
  description: `For 24 hours, messages are signed with both. ${onceOnly} Needs the scope \`webhooks:write\`.`,
  params: webhookParams,
  response: {
    200: response('The new secret, which is not shown again.', Type.Object({ secret: Secret }, {
      examples: [{ secret: SECRET }],
    })),
    ...WRITE_FAILURES,
    ...noSuchWebhook,
    ...ofApplication,
  },
}

export const RemoveWebhookSchema = {
  ...common,
  summary: 'Remove a webhook',
  description: 'Also forgets its deliveries. Needs the scope `webhooks:write`.',
  params: webhookParams,
  response: { 204: noContent('Removed.'), ...WRITE_FAILURES, ...noSuchWebhook, ...ofApplication },
}
