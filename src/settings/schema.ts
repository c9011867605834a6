import { Type, type Static } from '@sinclair/typebox'
import { ACCOUNTS, BRAND, LIMITS, PASSWORDS } from './account-settings.ts'
import { OPERATORS, SERVICE, STORES, TOKENS } from './service-settings.ts'
import { PROVIDERS } from './provider-settings.ts'
import { number } from './kinds.ts'
import type { OpenIdProvider } from './open-id-providers.ts'
import type { Resource } from './openid-resources.ts'

/** Every setting, in the order of the table in docs/configuration.md. */
export const Settings = Type.Object({
  ...SERVICE,
  ...OPERATORS,
  ...STORES,
  ...TOKENS,
  ...PASSWORDS,
  ...ACCOUNTS,
  ...PROVIDERS,
  ...BRAND,
  ...LIMITS,
}, { additionalProperties: false })

export type Config = Static<typeof Settings> & {
  /** Those in PROVIDERS. */
  openIdProviders: OpenIdProvider[]
  /** Those in OPENID_RESOURCES. */
  resources: Resource[]
}

/** The tests hash passwords by the thousand: with NODE_ENV=test, and only then, a cost below 10 is allowed. */
export const TestSettings = Type.Object({
  ...Settings.properties,
  BCRYPT_COST: number('Work factor of password hashes', { minimum: 4, maximum: 15, default: 12 }),
}, { additionalProperties: false })
