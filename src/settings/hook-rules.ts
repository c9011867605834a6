import { checkUrl, rulesOf } from '../webhooks/address.ts'
import type { Config } from './schema.ts'

type Rule = [broken: boolean, line: string]

/** What Standard Webhooks recommends, in bytes. */
const [SHORTEST, LONGEST] = [24, 64]

function isStrong (secret = ''): boolean {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.length >= SHORTEST && bytes.length <= LONGEST && new Set(bytes).size >= 10
}

/** Why the address cannot be asked, or undefined. */
function problemOf (url: string, config: Config): string | undefined {
  try {
    checkUrl(url, rulesOf(config))
  } catch (error) {
    return (error as Error).message
  }
}

function rulesOfHook (name: 'REGISTRATION_HOOK' | 'SIGN_IN_HOOK', config: Config): Rule[] {
  const { [name]: url, [`${name}_AWAY` as const]: away } = config
  if (!url) {
    return [[
      away !== undefined,
      `${name}_AWAY is of no use without ${name}: set the URL of the hook, or remove the setting.`,
    ]]
  }
  const problem = problemOf(url, config)
  return [
    [problem !== undefined, `${name} cannot be used. ${problem}`],
    [
      away === undefined,
      `${name}_AWAY is missing: choose allow or refuse for the time in which ${name} gives no answer.`,
    ],
  ]
}

export function hookRules (config: Config): Rule[] {
  const { REGISTRATION_HOOK, SIGN_IN_HOOK, HOOK_SECRET } = config
  return [
    ...rulesOfHook('REGISTRATION_HOOK', config),
    ...rulesOfHook('SIGN_IN_HOOK', config),
    [
      Boolean(REGISTRATION_HOOK || SIGN_IN_HOOK) && !isStrong(HOOK_SECRET),
      'HOOK_SECRET must be whsec_ and 24 to 64 random bytes in base64: create one with ' +
      '`echo "whsec_$(openssl rand -base64 32)"`.',
    ],
  ]
}
