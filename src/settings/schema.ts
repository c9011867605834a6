import { Type, type Static } from '@sinclair/typebox'
import { ACCOUNTS } from './groups/accounts.ts'
import { BRAND } from './groups/brand.ts'
import { LIMITS } from './groups/limits.ts'
import { OPERATORS } from './groups/operators.ts'
import { PASSWORDS } from './groups/passwords.ts'
import { PROVIDERS } from './groups/providers.ts'
import { SERVICE } from './groups/service.ts'
import { STORES } from './groups/stores.ts'
import { TOKENS } from './groups/tokens.ts'
import { number } from './kinds.ts'
import type { OpenIdProvider } from './open-id-providers.ts'

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
}

/** The tests hash passwords by the thousand: with NODE_ENV=test, and only then, a cost below 10 is allowed. */
export const TestSettings = Type.Object({
  ...Settings.properties,
  BCRYPT_COST: number('Work factor of password hashes', { minimum: 4, maximum: 15, default: 12 }),
}, { additionalProperties: false })
