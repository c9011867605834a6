import { Type } from '@sinclair/typebox'
import type { Provider } from '../src/providers/providers.ts'
import { noContent, redirect, TOO_MANY_REQUESTS } from './common.ts'
import { PUBLIC } from './documentation.ts'

const prefetched = noContent('The browser loads ahead: nobody has asked for a sign-in yet.')
const letterOf = ({ key }: Provider) => key === 'provider_a' ? 'A' : 'B'

export const beginSocialSchema = (provider: Provider) => ({
  operationId: `beginProvider${letterOf(provider)}`,
  summary: `Sign in through provider ${letterOf(provider)}`,
  tags: ['Providers'],
  security: PUBLIC,
  response: { 204: prefetched, 302: redirect('To the provider; or back to /login with `error`, where the provider is off.'), ...TOO_MANY_REQUESTS },
})

/** Providers may send more than we know of: nothing is refused here for being unknown. */
export const finishSocialSchema = (provider: Provider) => ({
  operationId: `finishProvider${letterOf(provider)}`,
  summary: `Where provider ${letterOf(provider)} sends people back to`,
  tags: ['Providers'],
  security: PUBLIC,
  querystring: Type.Object({
    code: Type.Optional(Type.String({ maxLength: 2048, description: 'What the provider gives for a person who agreed' })),
    state: Type.Optional(Type.String({ maxLength: 512, description: 'What this sign-in began with' })),
    error: Type.Optional(Type.String({ maxLength: 512, description: 'Why the provider refused' })),
  }),
  response: { 204: prefetched, 302: redirect('Signed in; or back to /login with `error`, whatever went wrong.') },
})
