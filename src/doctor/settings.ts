import { settingsFromFiles, type Config } from '../config.ts'
import { findingsFor, type Finding } from './finding.ts'

const { ok, warning } = findingsFor('settings')

/** `config` is already validated: only hints are left to give. */
export function checkSettings (config: Config): Finding[] {
  const findings = [config.NODE_ENV === 'production'
    ? ok('Complete and safe for production.')
    : warning(
      `Complete, but for NODE_ENV=${config.NODE_ENV}.`,
      'Set NODE_ENV=production for real users: only then are unsafe settings refused.'
    )]
  const fromFiles = settingsFromFiles()
  if (fromFiles.length > 0) findings.push(ok(`Read from files: ${fromFiles.join(', ')}.`))
  if (config.JWT_SECRET_PREVIOUS) {
    findings.push(warning(
      'Tokens signed with JWT_SECRET_PREVIOUS are still accepted.',
      'Remove JWT_SECRET_PREVIOUS 31 days after the change: by then all active users have newer tokens.'
    ))
  }
  return findings
}
