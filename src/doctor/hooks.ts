import type { Config } from '../config.ts'
import { createHook } from '../hooks/hook.ts'
import { reasonOf } from '../observability/error-reason.ts'
import { rulesOf } from '../webhooks/address.ts'
import { findingsFor, type Finding } from './finding.ts'

/** Asks the application with a message that concerns no account. Any answer that counts is right. */
async function check (setting: 'REGISTRATION_HOOK' | 'SIGN_IN_HOOK', config: Config): Promise<Finding[]> {
  const { ok, problem } = findingsFor(setting === 'SIGN_IN_HOOK' ? 'sign-in hook' : 'registration hook')
  const { [setting]: url, [`${setting}_AWAY` as const]: away, HOOK_SECRET: secret } = config
  if (!url || !secret) return []
  const hook = createHook({ url, secret, ...rulesOf(config) })
  try {
    await hook.ask('hook.test', {})
    return [ok('The application answers.')]
  } catch (error) {
    return [problem(
      `The application gives no answer that counts: ${reasonOf(error)}.`,
      `Check ${setting} and HOOK_SECRET, and that it answers messages of the type hook.test. Until then, ` +
      `${setting === 'SIGN_IN_HOOK' ? 'sign-ins' : 'registrations'} are ${away === 'allow' ? 'allowed' : 'refused'}.`
    )]
  } finally {
    hook.close()
  }
}

export async function checkHooks (config: Config): Promise<Finding[]> {
  return (await Promise.all([check('REGISTRATION_HOOK', config), check('SIGN_IN_HOOK', config)])).flat()
}
