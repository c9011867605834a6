import { Type } from '@sinclair/typebox'
import { RefusedByApplication } from '../src/hooks/errors.ts'
import type { Provider } from '../src/providers/providers.ts'
import { errorResponse, failures, noContent, redirect } from './common.ts'
import { PUBLIC } from './documentation.ts'
import { TOO_MANY_REQUESTS } from './limits.ts'

const prefetched = noContent('A prefetch by the browser: no sign-in is started or completed.')

/** The providers in PROVIDERS are not part of the document, which is the same for every installation. */
function nameOf ({ key, path }: Provider) {
  const letter = /^provider_([ab])$/.exec(key)?.[1]?.toUpperCase()
  return letter ? { id: `Provider${letter}`, title: `provider ${letter}` } : { id: path, title: path, hide: true }
}

/** Until the provider was found by discovery. */
const unavailable = ({ issuer }: Provider) => issuer ? failures(503) : undefined

export const beginSocialSchema = (provider: Provider) => ({
  hide: nameOf(provider).hide,
  operationId: `begin${nameOf(provider).id}`,
  summary: `Sign in through ${nameOf(provider).title}`,
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
    ...unavailable(provider),
  },
})

/** Unknown parameters are allowed: providers may send more than these. */
export const finishSocialSchema = (provider: Provider) => ({
  hide: nameOf(provider).hide,
  operationId: `finish${nameOf(provider).id}`,
  summary: `Callback of ${nameOf(provider).title}`,
  tags: ['Providers'],
  security: PUBLIC,
  querystring: Type.Object({
    code: Type.Optional(Type.String({ maxLength: 2048, description: 'The authorization code' })),
    state: Type.Optional(Type.String({ maxLength: 512, description: 'The state that this sign-in began with' })),
    error: Type.Optional(Type.String({ maxLength: 512, description: 'The error code of the provider' })),
    error_description: Type.Optional(Type.String({ maxLength: 4096, description: 'Its explanation, for the log' })),
  }),
  response: {
    204: prefetched,
    302: redirect(
      'Signed in and redirected to the application, to /login with `second_factor` if the account has one, ' +
      'to /dashboard with `outcome` if the user connected the provider, or to /login with `error` after any failure.'
    ),
    403: errorResponse(
      'The application refuses the new account or the sign-in (`REGISTRATION_HOOK`, `SIGN_IN_HOOK`). A browser gets ' +
      'a page with its message.',
      new RefusedByApplication('Your subscription has ended.')
    ),
    ...TOO_MANY_REQUESTS,
    ...unavailable(provider),
  },
})
