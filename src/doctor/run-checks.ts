import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { checkBreachedPasswords } from './breached-passwords.ts'
import { checkCookies } from './cookies.ts'
import { checkDatabase } from './database.ts'
import { checkDeviceSessions } from './device-sessions.ts'
import { findingsFor, type Finding } from './finding.ts'
import { checkHashing } from './hashing.ts'
import { checkFrontEnd } from './front-end.ts'
import { checkHooks } from './hooks.ts'
import { checkMail } from './mail.ts'
import { checkOpenIdProviders } from './open-id-providers.ts'
import { checkProviderA, checkProviderB } from './providers.ts'
import { checkProxy } from './proxy.ts'
import { checkRedis } from './redis.ts'
import { checkSettings } from './settings.ts'

interface Check {
  name: string
  /** The check is skipped if one of these settings has a problem. */
  needs: RegExp
  run (config: Config): Finding[] | Promise<Finding[]>
}

const CHECKS: Check[] = [
  { name: 'cookies', needs: /^(PUBLIC_URL|NODE_ENV|COOKIE_DOMAIN|APP_ORIGINS)$/, run: checkCookies },
  { name: 'proxy', needs: /^(PUBLIC_URL|NODE_ENV|TRUST_PROXY)$/, run: checkProxy },
  { name: 'database', needs: /^DATABASE_/, run: checkDatabase },
  { name: 'redis', needs: /^REDIS_/, run: checkRedis },
  { name: 'mail', needs: /^(SMTP_URL|MAIL_FROM)/, run: checkMail },
  { name: 'breached passwords', needs: /^BREACHED_PASSWORDS_URL$/, run: checkBreachedPasswords },
  {
    name: 'hooks',
    needs: /^(REGISTRATION_HOOK|SIGN_IN_HOOK)(_AWAY)?$|^(HOOK_SECRET|WEBHOOK_PRIVATE)$/,
    run: checkHooks,
  },
  { name: 'provider-a', needs: /^(PUBLIC_URL|PROVIDER_A_.*)$/, run: checkProviderA },
  { name: 'provider-b', needs: /^(PUBLIC_URL|PROVIDER_B_.*)$/, run: checkProviderB },
  { name: 'providers', needs: /^(PUBLIC_URL|PROVIDERS|PROVIDER_(?![AB]_).*)$/, run: checkOpenIdProviders },
  { name: 'hashing', needs: /^(BCRYPT_COST|HASHING_LANES)$/, run: checkHashing },
  {
    name: 'front end',
    needs: /^PUBLIC_URL$/,
    run: async config => (await Promise.all([checkFrontEnd(config), checkDeviceSessions(config)])).flat(),
  },
]

/**
 * Runs all checks in parallel. Each has a timeout, and none changes anything.
 * `problems` has one line for each problem of the settings, which begins with the name of the setting.
 */
export async function runChecks (config: Config, problems: string[]): Promise<Finding[]> {
  const broken = Map.groupBy(problems, problem => /^\w+/.exec(problem)?.[0] ?? 'settings')
  const findings = await Promise.all(CHECKS.map(async ({ name, needs, run }) => {
    const { skipped, problem } = findingsFor(name)
    const reasons = [...broken.keys()].filter(setting => needs.test(setting))
    if (reasons.length > 0) return [skipped(`Not checked because of ${reasons.join(', ')}.`)]
    try {
      return await run(config)
    } catch (error) {
      return [problem(`The check failed: ${reasonOf(error)}.`, 'Check that the settings for it are valid.')]
    }
  }))
  return [...checkSettings(config, broken), ...findings.flat()]
}
