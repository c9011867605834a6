import { Type } from '@sinclair/typebox'
import { BODY_FAILURES, dateTime, failures, forbiddenWithCsrf, noContent, response } from './common.ts'
import { SIGNED_IN, SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { uuid } from './fields.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

/** An application that signs users in with this service. */
export const ApplicationName = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Its client_id' }),
  name: Type.String(),
}, { title: 'ApplicationName' })

const ConnectedApplication = Type.Object({
  ...ApplicationName.properties,
  host: Type.String({
    description: 'Where it is: a host, or the scheme of an app on a device. Of one that registered itself without a ' +
      'document, all of them',
  }),
  scopes: Type.Array(Type.String(), { description: 'What it gets, such as `email`' }),
  resources: Type.Array(Type.Object({
    uri: Type.String(),
    description: Type.String(),
    scopes: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  }), { description: 'The APIs that it uses, in the words of the operator' }),
  connectedAt: dateTime('When the user first allowed it'),
  lastUsedAt: Type.Unsafe<string | null>({
    ...dateTime('When it last used what it holds. Null if it never did'),
    type: ['string', 'null'],
  }),
  offline: Type.Boolean({ description: 'Whether it stays connected when the user signs out' }),
  unverified: Type.Boolean({ description: 'Whether it registered itself: no operator has checked it' }),
}, {
  title: 'ConnectedApplication',
  examples: [{
    id: '5f0c7a8e-93b1-4d52-8a64-1c2b7d9e0f35',
    name: 'Photo Album',
    host: 'photos.example.com',
    scopes: ['email', 'openid', 'profile'],
    resources: [{
      uri: 'https://api.example.com/orders',
      description: 'Your orders',
      scopes: [{ name: 'orders:read', description: 'See your orders' }],
    }],
    connectedAt: '2026-01-28T18:30:00.000Z',
    lastUsedAt: '2026-01-31T09:00:00.000Z',
    offline: false,
    unverified: false,
  }],
})

export const ListApplicationsSchema = {
  summary: 'List the applications that are connected to the account',
  description: 'Those that the user has allowed something, and those that hold tokens of a live session.',
  tags: ['Account'],
  security: SIGNED_IN,
  response: {
    200: response('The applications, by name.', Type.Object({ applications: Type.Array(ConnectedApplication) }, {
      examples: [{ applications: [ConnectedApplication.examples[0]] }],
    })),
    ...failures(401, 503),
    ...TOO_MANY_REQUESTS,
  },
}

export const DisconnectApplicationSchema = {
  summary: 'Disconnect an application from the account',
  description: 'Its tokens are refused from now on, its sessions of this account end, and it must ask the user again.',
  tags: ['Account'],
  security: SIGNED_IN_WITH_CSRF,
  params: Type.Object({ id: uuid('The id of the application') }),
  response: {
    204: noContent('Disconnected.'),
    ...BODY_FAILURES,
    ...failures(401, 404, 414),
    ...forbiddenWithCsrf(),
    ...TOO_MANY_REQUESTS,
  },
}
