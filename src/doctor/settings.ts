import { settingsFromFiles, type Config } from '../config.ts'
import { findingsFor, type Finding } from './finding.ts'

const { ok, warning } = findingsFor('settings')

/** One finding for each setting with problems, or one for all of them. */
export function checkSettings (config: Config, problems: Map<string, string[]>): Finding[] {
  const broken = [...problems].map(([setting, lines]) => findingsFor(setting).problem(lines.join(' ')))
  const mode = broken.length > 0 ? broken : [checkMode(config)]
  return [...mode, ...checkFiles(problems), ...checkPreviousSecret(config, problems)]
}

function checkMode ({ NODE_ENV }: Config): Finding {
  return NODE_ENV === 'production'
    ? ok('Complete and safe for production.')
    : warning(
      `Complete, but for NODE_ENV=${NODE_ENV}.`,
      'Set NODE_ENV=production for real users: only then are unsafe settings refused.'
    )
}

function checkFiles (problems: Map<string, string[]>): Finding[] {
  const names = settingsFromFiles().filter(name => !problems.has(name) && !problems.has(`${name}_FILE`))
  return names.length > 0 ? [findingsFor('secret files').ok(`Read from files: ${names.join(', ')}.`)] : []
}

function checkPreviousSecret ({ JWT_SECRET_PREVIOUS }: Config, problems: Map<string, string[]>): Finding[] {
  if (!JWT_SECRET_PREVIOUS || problems.has('JWT_SECRET_PREVIOUS')) return []
  return [findingsFor('JWT_SECRET_PREVIOUS').warning(
    'Tokens signed with JWT_SECRET_PREVIOUS are still accepted.',
    'Remove JWT_SECRET_PREVIOUS 31 days after the change: by then all active users have newer tokens.'
  )]
}
