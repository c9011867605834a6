import type { Config } from '../config.ts'
import { about, type Finding } from './finding.ts'

const { ok, warning } = about('settings')

/** What can be read and is safe, or it would not have come so far. */
export function checkSettings (config: Config): Finding[] {
  const findings = [config.NODE_ENV === 'production'
    ? ok('complete and safe for production.')
    : warning(`complete, but for ${config.NODE_ENV}.`, 'Set NODE_ENV=production where real people sign in: unsafe settings are refused only then.')]
  if (config.JWT_SECRET_PREVIOUS) {
    findings.push(warning('what JWT_SECRET_PREVIOUS has signed is still good.', 'Leave it out 31 days after the change: by then everybody who comes back has newer tokens.'))
  }
  return findings
}
