import type { Config } from '../config.ts'
import { loadLanes } from '../passwords/lanes.ts'
import { findingsFor, type Finding } from './finding.ts'

const { ok, warning } = findingsFor('hashing')

/** `load` runs the self-test that the service runs at its start. */
export async function checkHashing (config: Config, load = loadLanes): Promise<Finding[]> {
  const { lanes, reason } = await load(config)
  if (lanes) return [ok(`Each core checks up to ${lanes.max} passwords at once.`)]
  if (!reason) return [ok('Each core checks one password at a time, because HASHING_LANES is 1.')]
  return [warning(
    `Each core checks one password at a time: ${reason}.`,
    'For about twice the logins a second, install a C compiler (clang or gcc) and run npm ci again.'
  )]
}
