import { BRAND_C } from './brands.ts'
import type { Registration } from './consent.ts'
import { MISBEHAVIOURS_OF_C } from './misbehaviour.ts'
import { startOpenIdProvider } from './open-id-provider.ts'

/** Its name in PROVIDERS. */
export const PROVIDER_C = 'demo-c'

/** An OpenID provider that the service finds by discovery. */
export async function startProviderC (options: Registration, name = PROVIDER_C) {
  const theme = BRAND_C
  const misbehaviours = MISBEHAVIOURS_OF_C
  const provider = await startOpenIdProvider({ ...options, strictScope: true, theme, misbehaviours })
  const prefix = `PROVIDER_${name.toUpperCase().replaceAll('-', '_')}`
  const settings: Record<string, string> = {
    PROVIDERS: name,
    [`${prefix}_ISSUER`]: provider.url,
    [`${prefix}_CLIENT_ID`]: options.clientId,
    [`${prefix}_CLIENT_SECRET`]: options.clientSecret,
    [`${prefix}_NAME`]: BRAND_C.title,
  }
  return Object.assign(provider, { settings })
}
