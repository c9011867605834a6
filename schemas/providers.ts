import { Type } from '@sinclair/typebox'
import { Conflict } from '../src/errors.ts'
import { BODY_FAILURES, dateTime, errorResponse, failures, noContent, response, textOrNull } from './common.ts'
import { SIGNED_IN_WITH_CSRF } from './documentation.ts'
import { forbiddenWithoutFreshProof } from './fresh-proof.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

const orNull = (description: string) => Type.Unsafe<string | null>({
  ...dateTime(description),
  type: ['string', 'null'],
})

/** A user of a provider who is connected to the account. */
export const ConnectedIdentity = Type.Object({
  provider: Type.String({ description: 'The name in the address of its routes, such as `provider-a` or `gitlab`' }),
  email: textOrNull(),
  connectedAt: orNull('Unknown (null) for providers A and B'),
  lastUsedAt: orNull('Unknown (null) for providers A and B'),
}, {
  title: 'ConnectedIdentity',
  examples: [{
    provider: 'gitlab',
    email: 'ada@example.org',
    connectedAt: '2026-01-28T18:30:00.000Z',
    lastUsedAt: '2026-01-31T09:00:00.000Z',
  }],
})

const params = Type.Object({
  name: Type.String({
    pattern: '^[a-z0-9-]+$',
    maxLength: 30,
    description: '`provider-a`, `provider-b` or one of `PROVIDERS`',
  }),
})

export const ConnectProviderSchema = {
  summary: 'Connect a provider to the account',
  description: 'Open `location` in the same browser within ten minutes. The user signs in there, and comes back to ' +
    '/dashboard with `provider` and `outcome`: `connected`, `taken` (this user of the provider belongs to another ' +
    'account) or `failed`. The email addresses may differ. An email notifies the user.',
  tags: ['Providers'],
  security: SIGNED_IN_WITH_CSRF,
  params,
  response: {
    200: response('Where the user signs in at the provider.', Type.Object({
      location: Type.String({ description: 'An address of the provider' }),
    }, { examples: [{ location: 'https://gitlab.example.com/oauth/authorize?client_id=…' }] })),
    ...BODY_FAILURES,
    ...failures(401, 404, 414),
    ...forbiddenWithoutFreshProof(),
    409: errorResponse(
      'The account is connected to a user of this provider already.',
      new Conflict('This provider is connected already. Disconnect it first.')
    ),
    ...TOO_MANY_REQUESTS,
  },
}

export const DisconnectProviderSchema = {
  summary: 'Disconnect a provider from the account',
  description: 'Sessions stay signed in. An email notifies the user.',
  tags: ['Providers'],
  security: SIGNED_IN_WITH_CSRF,
  params,
  response: {
    204: noContent('Disconnected.'),
    ...BODY_FAILURES,
    ...failures(401, 404, 414),
    ...forbiddenWithoutFreshProof(),
    409: errorResponse(
      'The provider is the last way to sign in to the account.',
      new Conflict('This is the last way to sign in to the account. Add another one first.')
    ),
    ...TOO_MANY_REQUESTS,
  },
}
