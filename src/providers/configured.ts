import type { Config } from '../config.ts'
import { labelOf } from './display-name.ts'

/** A provider that users can choose, as the pages show it. */
export interface ConfiguredProvider { key: string, path: string, name: string, icon: string }

/** In the order of the buttons on the login page. */
export function configuredProviders (config: Config): ConfiguredProvider[] {
  const fixed = (['A', 'B'] as const).filter(letter => config[`PROVIDER_${letter}_CLIENT_ID`]).map(letter => ({
    key: `provider_${letter.toLowerCase()}`,
    path: `provider-${letter.toLowerCase()}`,
    ...labelOf({
      url: (letter === 'A' && config.PROVIDER_A_ISSUER) || config[`PROVIDER_${letter}_AUTHORIZE_URL`],
      name: config[`PROVIDER_${letter}_NAME`],
      fallback: `Provider ${letter}`,
    }),
  }))
  const listed = config.openIdProviders.map(({ name: key, issuer: url, displayName: name }) =>
    ({ key, path: key, ...labelOf({ url, name, fallback: key }) }))
  return [...fixed, ...listed]
}
