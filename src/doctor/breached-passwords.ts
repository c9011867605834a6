import type { Config } from '../config.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { createBreachedPasswords } from '../passwords/breached-passwords.ts'
import { findingsFor, type Finding } from './finding.ts'

const { ok, problem } = findingsFor('breached passwords')

/** Every list of breached passwords has this one. */
const EXPOSED = 'password'

export async function checkBreachedPasswords ({ BREACHED_PASSWORDS_URL: url }: Config): Promise<Finding[]> {
  if (!url) return [ok('Not configured: BREACHED_PASSWORDS_URL is not set.')]
  try {
    if (await createBreachedPasswords(url).include(EXPOSED)) {
      return [ok('The list of breached passwords responds.')]
    }
    return [problem(
      `The list of breached passwords does not contain "${EXPOSED}".`,
      'Check BREACHED_PASSWORDS_URL: it must be a range interface, such as https://api.pwnedpasswords.com/range.'
    )]
  } catch (error) {
    return [problem(
      `The list of breached passwords cannot be asked: ${reasonOf(error)}.`,
      'Check BREACHED_PASSWORDS_URL and that this machine can connect to it. ' +
      'Until then, breached passwords are allowed.'
    )]
  }
}
