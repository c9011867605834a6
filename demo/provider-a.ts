import { BRAND_A } from './brands.ts'
import type { Registration } from './consent.ts'
import { MISBEHAVIOURS_OF_A } from './misbehaviour.ts'
import { startOpenIdProvider } from './open-id-provider.ts'

interface Options extends Registration {
  /** Requires the scope `openid`, as Keycloak does. Google adds it by itself. */
  strictScope?: boolean
}

/** An OpenID provider whose endpoints are given to the service one by one. */
export async function startProviderA (options: Options) {
  const provider = await startOpenIdProvider({ ...options, theme: BRAND_A, misbehaviours: MISBEHAVIOURS_OF_A })
  const { url } = provider
  const settings = {
    PROVIDER_A_CLIENT_ID: options.clientId,
    PROVIDER_A_CLIENT_SECRET: options.clientSecret,
    PROVIDER_A_REDIRECT_URI: options.redirectUri,
    PROVIDER_A_AUTHORIZE_URL: `${url}/auth`,
    PROVIDER_A_TOKEN_URL: `${url}/token`,
    PROVIDER_A_USERINFO_URL: `${url}/me`,
  }
  return Object.assign(provider, { settings })
}
