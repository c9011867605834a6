import { Type } from '@sinclair/typebox'
import { oneOf, secret, text } from './kinds.ts'

/** Sign-in through a provider. */
export const PROVIDERS = {
  PROVIDER_SECOND_FACTOR: oneOf(
    ['ask', 'trust'],
    'Sign-in through a provider to an account with a second factor: `ask` for it, or `trust` the provider',
    { default: 'ask' }
  ),
  PROVIDERS: Type.Array(Type.String(), {
    default: [],
    description: 'Comma-separated names of more OpenID Connect providers, such as `gitlab,entra`; each name has ' +
      'settings of its own: see [Sign-in through a provider](providers.md#more-providers)',
  }),
  PROVIDER_A_NAME: text('Name of provider A on the pages; defaults to its known name or its host', { default: '' }),
  PROVIDER_A_ISSUER: text(
    'Issuer of provider A, such as `https://accounts.google.com`; with it the endpoints are found by discovery and ' +
    'ID tokens are verified',
    { default: '' }
  ),
  PROVIDER_A_CLIENT_ID: text(
    'Client ID at provider A, which can be any OpenID Connect provider; without it provider A is off',
    { default: '' }
  ),
  PROVIDER_A_CLIENT_SECRET: secret('Client secret at provider A; required with the client ID', { default: '' }),
  PROVIDER_A_REDIRECT_URI: text(
    'Callback URL registered at provider A; defaults to `PUBLIC_URL/api/auth/provider-a/callback`',
    { default: '' }
  ),
  PROVIDER_A_SCOPE: text(
    'Scopes requested from provider A; most providers other than Google need `openid profile email`',
    { default: 'profile email' }
  ),
  PROVIDER_A_AUTHORIZE_URL: text(
    'Authorization endpoint of provider A',
    { default: 'https://accounts.google.com/o/oauth2/v2/auth' }
  ),
  PROVIDER_A_TOKEN_URL: text(
    'Token endpoint of provider A',
    { default: 'https://oauth2.googleapis.com/token' }
  ),
  PROVIDER_A_USERINFO_URL: text(
    'Userinfo endpoint of provider A',
    { default: 'https://openidconnect.googleapis.com/v1/userinfo' }
  ),
  PROVIDER_B_NAME: text('Name of provider B on the pages; defaults to its known name or its host', { default: '' }),
  PROVIDER_B_CLIENT_ID: text(
    'Client ID at provider B, which is GitHub or has the same API; without it provider B is off',
    { default: '' }
  ),
  PROVIDER_B_CLIENT_SECRET: secret('Client secret at provider B; required with the client ID', { default: '' }),
  PROVIDER_B_REDIRECT_URI: text(
    'Callback URL registered at provider B; defaults to `PUBLIC_URL/api/auth/provider-b/callback`',
    { default: '' }
  ),
  PROVIDER_B_SCOPE: text('Scopes requested from provider B', { default: 'user:email' }),
  PROVIDER_B_AUTHORIZE_URL: text(
    'Authorization endpoint of provider B',
    { default: 'https://github.com/login/oauth/authorize' }
  ),
  PROVIDER_B_TOKEN_URL: text(
    'Token endpoint of provider B',
    { default: 'https://github.com/login/oauth/access_token' }
  ),
  PROVIDER_B_USERINFO_URL: text('User endpoint of provider B', { default: 'https://api.github.com/user' }),
  PROVIDER_B_EMAILS_URL: text(
    'Endpoint of provider B that lists the email addresses of the user',
    { default: 'https://api.github.com/user/emails' }
  ),
}
