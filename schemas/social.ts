import { Type } from '@sinclair/typebox'
import type { Provider } from '../src/providers/providers.ts'
import { noContent, redirect } from './common.ts'
import { PUBLIC } from './documentation.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

const prefetched = noContent('A prefetch by the browser: no sign-in is started or completed.')
const letterOf = ({ key }: Provider) => key === 'provider_a' ? 'A' : 'B'

export const beginSocialSchema = (provider: Provider) => ({
  operationId: `beginProvider${letterOf(provider)}`,
  summary: `Sign in through provider ${letterOf(provider)}`,
  tags: ['Providers'],
  security: PUBLIC,
  querystring: Type.Object({
    next: Type.Optional(Type.String({
      maxLength: 4096,
      description: 'Path of this origin to open after the sign-in. Any other value is ignored',
    })),
    confirm: Type.Optional(Type.String({
      maxLength: 10,
      description: '`true`: the signed-in user confirms the identity, and no session is opened. ' +
        'The provider is told to ask for a sign-in',
    })),
  }),
  response: {
    204: prefetched,
    302: redirect('To the provider, or to /login with `error` if the provider is not configured.'),
    ...TOO_MANY_REQUESTS,
  },
})

/** Unknown parameters are allowed: providers may send more than these. */
export const finishSocialSchema = (provider: Provider) => ({
  operationId: `finishProvider${letterOf(provider)}`,
  summary: `Callback of provider ${letterOf(provider)}`,
  tags: ['Providers'],
  security: PUBLIC,
  querystring: Type.Object({
    code: Type.Optional(Type.String({ maxLength: 2048, description: 'The authorization code' })),
    state: Type.Optional(Type.String({ maxLength: 512, description: 'The state that this sign-in began with' })),
    error: Type.Optional(Type.String({ maxLength: 512, description: 'The error code of the provider' })),
  }),
  response: {
    204: prefetched,
    302: redirect(
      'Signed in and redirected to the application, to /login with `second_factor` if the account has one, ' +
      'or to /login with `error` after any failure.'
    ),
  },
})
